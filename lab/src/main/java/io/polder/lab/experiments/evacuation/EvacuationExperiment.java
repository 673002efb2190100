package io.polder.lab.experiments.evacuation;

import io.polder.bench.JvmFlags;
import io.polder.heap.EvacuationFailurePolicy;
import io.polder.lab.harness.About;
import io.polder.lab.harness.Context;
import io.polder.lab.harness.Experiment;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MeasuringJvm;
import io.polder.lab.report.Format;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Report;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;
import io.polder.tools.terminal.UnwrittenException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What gates cost, and a heap whose objects move while they are used: time of threads, memory, and
 * what happens when there is none.
 *
 * <p>Each part has JVMs of its own, one after the other.
 */
public final class EvacuationExperiment implements Experiment {
    /**
     * Arguments of all JVMs that measure, but for the size of the Java heap: it has one size and is
     * touched before, so that whatever the resident set grows by is memory of the heaps that are
     * measured.
     */
    private static final List<String> JVM_ARGS =
            List.of(
                    JvmFlags.NATIVE_ACCESS,
                    "-XX:+UseSerialGC",
                    "-XX:+AlwaysPreTouch",
                    // Of memory beside the Java heap that is compared with.
                    "-XX:MaxDirectMemorySize=1g");

    /** The Java heap, besides what grows with the workload. A guess, ample. */
    private static final long HEAP_BYTES = 96L << 20;

    private static final long YOUNG_BYTES = 32L << 20;

    private final Scale quick;
    private final Scale full;

    /** Creates the experiment. */
    public EvacuationExperiment() {
        this(Scale.QUICK, Scale.FULL);
    }

    /** Creates the experiment with other sizes, for tests. */
    EvacuationExperiment(Scale quick, Scale full) {
        this.quick = quick;
        this.full = full;
    }

    @Override
    public About about() {
        return About.withCsv(
                "evacuation",
                "what gates cost, and a heap whose objects move while they are used",
                "evacuation-objects-that-move-while-they-are-used");
    }

    @Override
    public List<String> metricNames() {
        return EvacuationMetrics.names();
    }

    @Override
    public Report run(Context context)
            throws ExperimentException, UnwrittenException, InterruptedException {
        requireSystem();
        Scale scale = context.quick() ? quick : full;
        Results results = new Run(context, scale).all();
        Path csv = context.csv();
        if (csv != null) {
            for (ShiftContender contender : ShiftContender.values()) {
                ShiftPoint.rawData(results.shift(contender).findings().points(ShiftPoint.class))
                        .write(csv, "evacuation-" + contender.id() + ".csv");
            }
        }
        List<Metric> metrics = EvacuationMetrics.of(results);
        return new Report(
                metrics,
                text(results, scale),
                JVM_ARGS,
                EvacuationSection.of(results, EvacuationGoals.list(metrics, context.quick())));
    }

    /** What is printed. */
    static String text(Results results, Scale scale) {
        return String.join(
                "\n",
                GateText.of(results.gates()),
                GateText.ofReads(results.reads()),
                GateText.ofAccess(results.access(), scale.access()),
                TrafficText.of(results),
                TrafficText.ofExhaustion(results),
                ShiftText.of(results, scale.shift()));
    }

    private static void requireSystem() throws ExperimentException {
        MemoryProvider provider = Providers.choose().provider();
        ExperimentException.unless(
                provider.canUncommit() && provider.canRemap(),
                "The evacuation experiment looks at memory by means of Linux, which this system"
                        + " does not have.");
    }

    /** One run of all parts, which shows how far it is. */
    private static final class Run {
        private final Context context;
        private final Scale scale;
        private final double parts;
        private String part = "";
        private int done;

        Run(Context context, Scale scale) {
            this.context = context;
            this.scale = scale;
            this.parts =
                    1
                            + scale.reads().jvms()
                            + scale.traffic().jvms() * GateKind.values().length
                            + EvacuationFailurePolicy.values().length
                            + ShiftContender.values().length
                            + 3;
        }

        Results all() throws ExperimentException, InterruptedException {
            Findings gates = findings();
            begin("gates");
            measure(GateJvm.class, new GateJvm.Task(context.seed(), scale.gates()), gates);
            done++;
            Findings reads = findings();
            for (int jvm = 0; jvm < scale.reads().jvms(); jvm++) {
                begin("reads");
                measure(
                        ReadJvm.class,
                        new ReadJvm.Task(context.seed() + jvm, scale.reads()),
                        reads);
                done++;
            }
            Findings access = access();
            return new Results(
                    gates, reads, traffic(), exhaustion(), shift(), stall(), fullHeap(), access);
        }

        private Findings access() throws ExperimentException, InterruptedException {
            begin("small objects");
            Findings access = findings();
            measure(AccessJvm.class, new AccessJvm.Task(context.seed(), scale.access()), access);
            done++;
            return access;
        }

        /** The first heap chooses the rate at which the latencies of all are measured. */
        private Map<GateKind, Findings> traffic() throws ExperimentException, InterruptedException {
            Map<GateKind, Findings> traffic = new EnumMap<>(GateKind.class);
            double rate = 0;
            for (int jvm = 0; jvm < scale.traffic().jvms(); jvm++) {
                for (GateKind gate : List.of(GateKind.SLOT, GateKind.STRIPED, GateKind.SINGLE)) {
                    begin("heap, " + Format.id(gate));
                    Findings found = traffic.computeIfAbsent(gate, _ -> findings());
                    long seed = context.seed() + jvm;
                    measure(
                            TrafficJvm.class,
                            new TrafficJvm.Task(gate, seed, rate, scale.traffic()),
                            found);
                    rate = found.median(TrafficJvm.RATE);
                    done++;
                }
            }
            return traffic;
        }

        private Map<EvacuationFailurePolicy, Findings> exhaustion()
                throws ExperimentException, InterruptedException {
            Map<EvacuationFailurePolicy, Findings> exhaustion =
                    new EnumMap<>(EvacuationFailurePolicy.class);
            for (EvacuationFailurePolicy policy : EvacuationFailurePolicy.values()) {
                begin("out of memory, " + Format.id(policy));
                Findings found = findings();
                measure(
                        ExhaustionJvm.class,
                        new ExhaustionJvm.Task(policy, context.seed(), scale.exhaustion()),
                        found);
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
                measure(
                        ShiftJvm.class,
                        new ShiftJvm.Task(contender, context.seed(), scale.shift()),
                        found);
                shift.put(contender, found);
                done++;
            }
            return shift;
        }

        private Findings stall() throws ExperimentException, InterruptedException {
            begin("a reader stalls");
            Findings stall = findings();
            measure(StallJvm.class, new StallJvm.Task(context.seed(), scale.stall()), stall);
            done++;
            return stall;
        }

        private Findings fullHeap() throws ExperimentException, InterruptedException {
            begin("a full heap");
            Findings fullHeap = findings();
            measure(
                    FullHeapJvm.class,
                    new FullHeapJvm.Task(context.seed(), scale.fullHeap()),
                    fullHeap);
            return fullHeap;
        }

        /** One JVM; its Java heap is as large as it must be for the arrays of a task. */
        private void measure(Class<?> main, Record task, Findings findings)
                throws ExperimentException, InterruptedException {
            long arrays =
                    switch (task) {
                        case ShiftJvm.Task shift ->
                                (long) shift.plan().valuesMax() * LivingValues.BYTES_PER_VALUE;
                        case FullHeapJvm.Task full -> full.plan().arrayBytes();
                        case AccessJvm.Task access -> access.plan().arrayBytes();
                        default -> 0;
                    };
            List<String> jvmArgs = new ArrayList<>(JVM_ARGS);
            jvmArgs.add("-Xms" + (HEAP_BYTES + arrays));
            jvmArgs.add("-Xmx" + (HEAP_BYTES + arrays));
            jvmArgs.add("-Xmn" + YOUNG_BYTES);
            new MeasuringJvm(main, jvmArgs, Scale.timeout())
                    .run("Measuring: " + part, task, findings);
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
