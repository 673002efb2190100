package io.polder.lab.experiments.replay;

import io.polder.bench.JvmFlags;
import io.polder.lab.harness.About;
import io.polder.lab.harness.Context;
import io.polder.lab.harness.Experiment;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MeasuringJvm;
import io.polder.lab.report.Report;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What would the metaspace of a real JVM cost in Polder?
 *
 * <p>The log is read as a whole to check it and to find its peak and valley; then, in a {@linkplain
 * ReplayJvm JVM of its own}, to {@linkplain Replay replay} it.
 */
public final class ReplayExperiment implements Experiment {
    /** Heap of the replaying JVM: the least, and for each owner that lives. */
    private static final long HEAP_BYTES_MIN = 128L << 20;

    private static final long HEAP_BYTES_PER_OWNER = 4 << 10;

    /** After which a replay is given up: in any case, and for each event. Generous guesses. */
    private static final Duration TIMEOUT_MIN = Duration.ofSeconds(60);

    private static final Duration TIMEOUT_PER_EVENT = Duration.ofNanos(50_000);

    /** Creates the experiment. */
    public ReplayExperiment() {}

    @Override
    public About about() {
        return new About(
                "replay",
                "what the metaspace of a JVM, by its log, costs in Polder",
                true,
                false,
                "replay-the-metaspace-of-a-real-program");
    }

    @Override
    public List<String> metricNames() {
        return ReplayReport.metricNames();
    }

    @Override
    public Report run(Context context) throws ExperimentException, InterruptedException {
        context.progress().show("reading", 0);
        MetaspaceLog log = new MetaspaceLog(LogParts.of(context.files()));
        Survey survey = Survey.of(log);
        Findings findings = new Findings(share -> context.progress().show("replaying", share));
        List<String> jvmArgs = jvmArgs(survey);
        List<String> parts = log.parts().stream().map(Path::toString).toList();
        Duration timeout = TIMEOUT_MIN.plus(TIMEOUT_PER_EVENT.multipliedBy(survey.events()));
        new MeasuringJvm(ReplayJvm.class, jvmArgs, timeout)
                .run("The replay", new ReplayJvm.Task(survey, parts), findings);
        return new ReplayReport(log, survey, new ReplayResult(findings)).of(jvmArgs);
    }

    /** A heap that is there from the start, and does not grow. */
    private static List<String> jvmArgs(Survey survey) {
        long mib = (HEAP_BYTES_MIN + HEAP_BYTES_PER_OWNER * survey.ownersMax()) >> 20;
        return List.of(
                JvmFlags.NATIVE_ACCESS,
                "-Xms" + mib + "m",
                "-Xmx" + mib + "m",
                "-XX:+UseSerialGC",
                "-XX:+AlwaysPreTouch");
    }
}
