package io.polder.lab.experiments.confined;

import io.polder.lab.harness.Context;
import io.polder.lab.harness.Experiment;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MeasuringJvm;
import io.polder.lab.report.Report;

import java.util.ArrayList;
import java.util.List;

/**
 * What does an arena cost, against the JDK's own, LWJGL's stack and malloc?
 *
 * <p>Each workload gets JVMs of its own, one after the other, so that no workload is compiled with
 * another one's history. Some are also measured in JVMs that have done everything else before, as
 * programs have: {@link Mixture}. Within a JVM the contenders take turns: see {@link ConfinedJvm}.
 * They share it because programs share it: a JVM in which only one kind of arena was ever opened is
 * compiled better than any real program, whose libraries open the JDK's.
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
    public String name() {
        return "confined";
    }

    @Override
    public String description() {
        return "what a confined arena costs, against the JDK's own";
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
        for (Workload workload : Workload.ALL) {
            double[] before = {jvmsDone};
            double jvms = Workload.ALL.size() * scale.jvms();
            Findings findings =
                    new Findings(
                            share ->
                                    context.progress()
                                            .show(
                                                    workload.longLabel(),
                                                    (before[0] + share) / jvms));
            for (int i = 0; i < scale.jvms(); i++) {
                before[0] = jvmsDone++;
                context.progress().show(workload.longLabel(), before[0] / jvms);
                // Another seed: another order of contenders, and so of compilations.
                measure(workload, scale, jvmArgs, context.seed() + i, findings);
            }
            measurements.add(new Measurement(workload, findings));
        }
        return new Report(
                        ConfinedMetrics.of(measurements),
                        ConfinedText.of(measurements, scale),
                        JvmArgs.recorded(jvmArgs),
                        ConfinedSection.of(measurements))
                .withWarnings(ConfinedText.uncompiled(measurements));
    }

    private static void measure(
            Workload workload, Scale scale, List<String> jvmArgs, long seed, Findings findings)
            throws ExperimentException, InterruptedException {
        List<String> allJvmArgs = new ArrayList<>(jvmArgs);
        allJvmArgs.addAll(workload.jvmArgs());
        new MeasuringJvm(ConfinedJvm.class, allJvmArgs, scale.timeout())
                .run(
                        "The workload '" + workload.longLabel() + "'",
                        new ConfinedJvm.Task(workload.id(), seed, scale),
                        findings);
    }
}
