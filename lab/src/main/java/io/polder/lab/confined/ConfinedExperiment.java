package io.polder.lab.confined;

import io.polder.lab.experiment.Context;
import io.polder.lab.experiment.Experiment;
import io.polder.lab.experiment.ExperimentException;
import io.polder.lab.experiment.Report;
import io.polder.lab.jvm.ChildJvm;
import io.polder.lab.jvm.ChildJvmException;

import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleConsumer;

/**
 * What does an arena cost, against the JDK's own, LWJGL's stack and malloc?
 *
 * <p>Each workload gets JVMs of its own, one after the other, so that no workload is compiled with
 * another one's history. Some are also measured in JVMs that have done everything else before, as
 * programs have: {@link Mixture}. Within a JVM the contenders take turns: see {@link MeasuringJvm}.
 * They share it because programs share it: a JVM in which only one kind of arena was ever opened is
 * compiled better than any real program, whose libraries open the JDK's.
 */
public final class ConfinedExperiment implements Experiment {
    private final Pace quick;
    private final Pace full;

    /** Creates the experiment. */
    public ConfinedExperiment() {
        this(Pace.QUICK, Pace.FULL);
    }

    /** Creates the experiment with other paces, for tests. */
    ConfinedExperiment(Pace quick, Pace full) {
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
        Pace pace = context.quick() ? quick : full;
        context.progress().show("preparing", 0);
        List<String> jvmArgs = JvmArgs.common(context.seed());
        List<Measurement> measurements = new ArrayList<>();
        int jvmsDone = 0;
        for (Workload workload : Workload.ALL) {
            List<Samples> samples = new ArrayList<>();
            for (int i = 0; i < pace.jvms(); i++) {
                double jvmsBefore = jvmsDone++;
                DoubleConsumer progress =
                        share ->
                                context.progress()
                                        .show(
                                                workload.longLabel(),
                                                (jvmsBefore + share)
                                                        / (Workload.ALL.size() * pace.jvms()));
                // Another seed: another order of contenders, and so of compilations.
                samples.add(measure(workload, pace, jvmArgs, context.seed() + i, progress));
            }
            measurements.add(new Measurement(workload, samples));
        }
        return new Report(
                ConfinedMetrics.of(measurements),
                ConfinedText.of(measurements, pace),
                JvmArgs.recorded(jvmArgs),
                ConfinedExhibit.of(measurements));
    }

    private static Samples measure(
            Workload workload, Pace pace, List<String> jvmArgs, long seed, DoubleConsumer progress)
            throws ExperimentException, InterruptedException {
        progress.accept(0);
        Samples samples = new Samples(progress);
        List<String> allJvmArgs = new ArrayList<>(jvmArgs);
        allJvmArgs.addAll(workload.jvmArgs());
        List<String> args = new ArrayList<>(List.of(workload.id(), Long.toString(seed)));
        args.addAll(pace.toArgs());
        try {
            new ChildJvm(MeasuringJvm.class, allJvmArgs, args, pace.timeout()).run(samples::accept);
        } catch (ChildJvmException e) {
            throw new ExperimentException(
                    "The workload '" + workload.longLabel() + "' failed. " + e.getMessage(), e);
        }
        if (!samples.isComplete(workload.contenders())) {
            throw new ExperimentException(
                    "The workload '" + workload.longLabel() + "' ended before all was measured.",
                    null);
        }
        return samples;
    }
}
