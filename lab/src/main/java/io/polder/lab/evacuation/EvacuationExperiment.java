package io.polder.lab.evacuation;

import io.polder.heap.space.GateKind;
import io.polder.heap.space.OutOfMemoryPolicy;
import io.polder.lab.experiment.Context;
import io.polder.lab.experiment.Experiment;
import io.polder.lab.experiment.ExperimentException;
import io.polder.lab.experiment.Metric;
import io.polder.lab.experiment.Report;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What gates cost, and a heap whose objects move while they are used: time of threads, memory, and
 * what happens when there is none.
 *
 * <p>Each part has JVMs of its own, one after the other.
 */
public final class EvacuationExperiment implements Experiment {
    private final Effort quick;
    private final Effort full;

    /** Creates the experiment. */
    public EvacuationExperiment() {
        this(Effort.QUICK, Effort.FULL);
    }

    /** Creates the experiment with other sizes, for tests. */
    EvacuationExperiment(Effort quick, Effort full) {
        this.quick = quick;
        this.full = full;
    }

    @Override
    public String name() {
        return "evacuation";
    }

    @Override
    public String description() {
        return "what gates cost, and a heap whose objects move while they are used";
    }

    @Override
    public List<String> metricNames() {
        return EvacuationMetrics.names();
    }

    @Override
    public boolean writesCsv() {
        return true;
    }

    @Override
    public Report run(Context context) throws ExperimentException, InterruptedException {
        requireSystem();
        Effort effort = context.quick() ? quick : full;
        Results results = new Run(context, new MeasuringJvms(effort), effort).all();
        Path csv = context.csv();
        if (csv != null) {
            try {
                for (ShiftContender contender : ShiftContender.values()) {
                    ShiftTimeline.write(csv, contender, results.shift(contender).findings());
                }
            } catch (IOException e) {
                throw new ExperimentException("A file could not be written: " + e, e);
            }
        }
        List<Metric> metrics = EvacuationMetrics.of(results);
        return new Report(
                metrics,
                EvacuationText.of(results, effort),
                MeasuringJvms.JVM_ARGS,
                EvacuationExhibit.of(results, EvacuationGoals.list(metrics, context.quick())));
    }

    private static void requireSystem() throws ExperimentException {
        MemoryProvider provider = Providers.choose().provider();
        if (!provider.canUncommit() || !provider.canRemap()) {
            throw new ExperimentException(
                    "The evacuation experiment looks at memory by means of Linux, which this system"
                            + " does not have.",
                    null);
        }
    }

    /** One run of all parts, which shows how far it is. */
    private static final class Run {
        private final Context context;
        private final MeasuringJvms jvms;
        private final Effort effort;
        private final double parts;
        private String part = "";
        private int done;

        Run(Context context, MeasuringJvms jvms, Effort effort) {
            this.context = context;
            this.jvms = jvms;
            this.effort = effort;
            this.parts =
                    1
                            + effort.reads().jvms()
                            + effort.traffic().jvms() * GateKind.values().length
                            + OutOfMemoryPolicy.values().length
                            + ShiftContender.values().length
                            + 1;
        }

        Results all() throws ExperimentException, InterruptedException {
            Findings gates = findings();
            begin("gates");
            jvms.gates(context.seed(), gates);
            done++;
            Findings reads = findings();
            for (int jvm = 0; jvm < effort.reads().jvms(); jvm++) {
                begin("reads");
                jvms.reads(context.seed() + jvm, reads);
                done++;
            }
            return new Results(gates, reads, traffic(), exhaustion(), shift(), stall());
        }

        /** The first heap chooses the rate at which the latencies of all are measured. */
        private Map<GateKind, Findings> traffic() throws ExperimentException, InterruptedException {
            Map<GateKind, Findings> traffic = new EnumMap<>(GateKind.class);
            double rate = 0;
            for (int jvm = 0; jvm < effort.traffic().jvms(); jvm++) {
                for (GateKind gate : List.of(GateKind.SLOT, GateKind.STRIPED, GateKind.SINGLE)) {
                    begin("heap, " + gate.name().toLowerCase(Locale.ROOT));
                    Findings found = traffic.computeIfAbsent(gate, _ -> findings());
                    jvms.traffic(gate, context.seed() + jvm, rate, found);
                    rate = found.median(TrafficJvm.RATE);
                    done++;
                }
            }
            return traffic;
        }

        private Map<OutOfMemoryPolicy, Findings> exhaustion()
                throws ExperimentException, InterruptedException {
            Map<OutOfMemoryPolicy, Findings> exhaustion = new EnumMap<>(OutOfMemoryPolicy.class);
            for (OutOfMemoryPolicy policy : OutOfMemoryPolicy.values()) {
                begin("out of memory, " + policy.name().toLowerCase(Locale.ROOT));
                Findings found = findings();
                jvms.exhaustion(policy, context.seed(), found);
                exhaustion.put(policy, found);
                done++;
            }
            return exhaustion;
        }

        private Map<ShiftContender, Findings> shift()
                throws ExperimentException, InterruptedException {
            Map<ShiftContender, Findings> shift = new EnumMap<>(ShiftContender.class);
            for (ShiftContender contender : ShiftContender.values()) {
                begin("sizes, " + contender.id());
                Findings found = findings();
                jvms.shift(contender, context.seed(), found);
                shift.put(contender, found);
                done++;
            }
            return shift;
        }

        private Findings stall() throws ExperimentException, InterruptedException {
            begin("a reader stalls");
            Findings stall = findings();
            jvms.stall(context.seed(), stall);
            return stall;
        }

        private Findings findings() {
            return new Findings(this::show);
        }

        private void begin(String what) {
            part = what;
            show(0);
        }

        private void show(double share) {
            context.progress().show(part, (done + share) / parts);
        }
    }
}
