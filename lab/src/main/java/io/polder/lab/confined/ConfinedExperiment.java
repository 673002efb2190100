package io.polder.lab.confined;

import io.polder.lab.experiment.Context;
import io.polder.lab.experiment.Experiment;
import io.polder.lab.experiment.ExperimentException;
import io.polder.lab.experiment.Report;
import io.polder.lab.jvm.ChildJvm;
import io.polder.lab.jvm.ChildJvmException;

import java.util.ArrayList;
import java.util.List;

/**
 * What does a confined arena cost, against the JDK's own and against LWJGL's stack?
 *
 * <p>Each workload gets a JVM of its own, one after the other, so that no workload is compiled with
 * another one's history. Within a JVM the contenders take turns: see {@link MeasuringJvm}.
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
        for (int i = 0; i < Workload.ALL.size(); i++) {
            measurements.add(measure(i, pace, jvmArgs, context));
        }
        return new Report(
                ConfinedMetrics.of(measurements),
                ConfinedText.of(measurements, pace),
                JvmArgs.recorded(jvmArgs));
    }

    private static Measurement measure(int index, Pace pace, List<String> jvmArgs, Context context)
            throws ExperimentException, InterruptedException {
        Workload workload = Workload.ALL.get(index);
        double count = Workload.ALL.size();
        context.progress().show(workload.label(), index / count);
        Samples samples =
                new Samples(
                        share ->
                                context.progress().show(workload.label(), (index + share) / count));

        List<String> allJvmArgs = new ArrayList<>(jvmArgs);
        allJvmArgs.addAll(workload.jvmArgs());
        List<String> args = new ArrayList<>(List.of(workload.id(), Long.toString(context.seed())));
        args.addAll(pace.toArgs());
        try {
            new ChildJvm(MeasuringJvm.class, allJvmArgs, args, pace.timeout()).run(samples::accept);
        } catch (ChildJvmException e) {
            throw new ExperimentException(
                    "The workload '" + workload.label() + "' failed. " + e.getMessage(), e);
        }
        if (!samples.isComplete(workload.contenders())) {
            throw new ExperimentException(
                    "The workload '" + workload.label() + "' ended before all was measured.", null);
        }
        return new Measurement(workload, samples);
    }
}
