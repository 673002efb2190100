package io.polder.lab.experiments.confined;

import io.polder.lab.harness.About;
import io.polder.lab.harness.Context;
import io.polder.lab.harness.Experiment;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MeasuringJvm;
import io.polder.lab.report.Report;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleConsumer;
import java.util.stream.Collectors;

/**
 * What does an arena cost, against the JDK's own, LWJGL's stack and malloc?
 *
 * <p>Each workload gets JVMs of its own, one after the other, so that no workload is compiled with
 * another one's history. Some are also measured in JVMs that have done everything else before, as
 * programs have: {@link Mixture}. A quick run measures all of these in one JVM. Within a JVM the
 * contenders take turns: see {@link ConfinedJvm}. They share it because programs share it: a JVM in
 * which only one kind of arena was ever opened is compiled better than any real program, whose
 * libraries open the JDK's.
 */
public final class ConfinedExperiment implements Experiment {
    private final Scale quick;
    private final Scale full;

    /** Creates the experiment. */
    public ConfinedExperiment() {
        this(Scale.QUICK, Scale.FULL);
    }

    /** Creates the experiment with other scales, for tests. */
    ConfinedExperiment(Scale quick, Scale full) {
        this.quick = quick;
        this.full = full;
    }

    @Override
    public About about() {
        return new About(
                "confined",
                "what a confined arena costs, against the JDK's own",
                false,
                false,
                "confined-what-an-arena-costs");
    }

    @Override
    public List<String> metricNames() {
        return ConfinedMetrics.names(Workload.ALL);
    }

    @Override
    public Report run(Context context) throws ExperimentException, InterruptedException {
        Scale scale = context.quick() ? quick : full;
        context.progress().show("preparing", 0);
        List<String> jvmArgs = JvmArgs.common(context.seed());
        List<Measurement> measurements = new ArrayList<>();
        int jvmsDone = 0;
        List<List<Workload>> together = together(scale);
        double jvms = together.size() * scale.jvms();
        for (List<Workload> workloads : together) {
            double[] before = {jvmsDone};
            DoubleConsumer progress = share -> show(context, workloads, share, before[0], jvms);
            Findings findings = new Findings(progress);
            for (int i = 0; i < scale.jvms(); i++) {
                before[0] = jvmsDone++;
                progress.accept(0);
                // Another seed: another order of contenders, and so of compilations.
                measure(workloads, scale, jvmArgs, context.seed() + i, findings);
            }
            workloads.forEach(each -> measurements.add(new Measurement(each, findings)));
        }
        return new Report(
                        ConfinedMetrics.of(measurements),
                        ConfinedText.of(measurements, scale),
                        JvmArgs.recorded(jvmArgs),
                        ConfinedSection.of(measurements))
                .withWarnings(ConfinedText.uncompiled(measurements));
    }

    /** Workloads by JVM, in the order of the table. */
    private static List<List<Workload>> together(Scale scale) {
        List<List<Workload>> together = new ArrayList<>();
        List<Workload> mixed = new ArrayList<>();
        for (Workload workload : Workload.ALL) {
            if (workload.isMixed() && scale.oneMixedJvm()) {
                mixed.add(workload);
            } else {
                together.add(List.of(workload));
            }
        }
        if (!mixed.isEmpty()) {
            together.add(mixed);
        }
        return together;
    }

    /** Shows which workload a JVM is at, and what is done of all. */
    private static void show(
            Context context, List<Workload> workloads, double share, double before, double jvms) {
        int at = Math.min((int) (share * workloads.size()), workloads.size() - 1);
        context.progress().show(workloads.get(at).longLabel(), (before + share) / jvms);
    }

    private static void measure(
            List<Workload> workloads,
            Scale scale,
            List<String> jvmArgs,
            long seed,
            Findings findings)
            throws ExperimentException, InterruptedException {
        List<String> allJvmArgs = new ArrayList<>(jvmArgs);
        workloads.stream().flatMap(each -> each.jvmArgs().stream()).forEach(allJvmArgs::add);
        String labels =
                workloads.stream().map(Workload::longLabel).collect(Collectors.joining("', '"));
        new MeasuringJvm(
                        ConfinedJvm.class,
                        allJvmArgs,
                        scale.timeout().multipliedBy(workloads.size()))
                .run(
                        "The workload '" + labels + "'",
                        new ConfinedJvm.Task(
                                workloads.stream().map(Workload::id).toList(), seed, scale),
                        findings);
    }
}
