package io.polder.lab.experiments.evacuation;

import com.sun.management.OperatingSystemMXBean;

import io.polder.lab.experiments.evacuation.Scale.ShiftPlan;
import io.polder.lab.experiments.evacuation.ShiftPoint.Moment;
import io.polder.lab.experiments.evacuation.ShiftPoint.Value;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;
import io.polder.memory.ProcessCheck;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Main class of a measuring JVM: the size-shift workload on one contender, once.
 *
 * <p>The code is warmed up on a store of its own, and with little memory; then the resident set is
 * taken as the base, of which whatever comes later is what the values cost. The Java heap was
 * touched before, and so were the arrays with the keys.
 *
 * <p>Samples: those named here, and all points.
 */
final class ShiftJvm {
    static final String PUTS = "puts";
    static final String READS = "reads";
    static final String UPDATES = "updates";
    static final String CONTROL = "control";

    /** Nanoseconds of the longest wait of a read or an update for a copy, as the store counts. */
    static final String LONGEST_WAIT = "longest_wait";

    /** How often an update waited for a copy that another thread made. */
    static final String WAITS = "waits_for_another_copy";

    /** Values that were not as they were written. */
    static final String DAMAGED = "damaged";

    /** Of the budget, for warming up. */
    private static final int WARMUP_DIVISOR = 32;

    private final ShiftPlan plan;
    private final Duration rest;
    private final long baseBytes;
    private final long baseMaps;
    private final long startNanos;
    private final long startCpuNanos;
    private final ControlThread control;
    private final long startOwnNanos;

    private final LivingValues living;
    private final ValueStore store;

    private ShiftJvm(
            ShiftPlan plan,
            Duration rest,
            LivingValues living,
            ValueStore store,
            ControlThread control) {
        this.plan = plan;
        this.rest = rest;
        this.living = living;
        this.store = store;
        this.control = control;
        this.baseBytes = ProcessCheck.rssBytes().orElseThrow();
        this.baseMaps = ProcessCheck.count().orElse(0);
        this.startNanos = System.nanoTime();
        this.startCpuNanos = cpuNanos();
        this.startOwnNanos = ownNanos();
    }

    /** What it is told. */
    record Task(ShiftContender contender, long seed, ShiftPlan plan) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, ShiftJvm::run);
    }

    private static void run(Task task, Sampler sampler) throws InterruptedException {
        ShiftPlan plan = task.plan();
        LivingValues living = new LivingValues(plan.valuesMax());
        warmUp(task.contender(), plan, living, task.seed());
        ControlThread control = new ControlThread();
        System.gc();
        try (ValueStore store = task.contender().open()) {
            new ShiftJvm(plan, plan.restOf(task.contender()), living, store, control)
                    .run(task.seed(), sampler);
        }
        sampler.latencies(CONTROL, control.stop());
    }

    private static void warmUp(
            ShiftContender contender, ShiftPlan plan, LivingValues living, long seed) {
        ShiftPlan small = plan.smaller(WARMUP_DIVISOR);
        long start = System.nanoTime();
        while (System.nanoTime() - start < plan.warmup().toNanos()) {
            try (ValueStore store = contender.open()) {
                ShiftRun run = new ShiftRun(small, store, living, seed, (_, _) -> {});
                for (ShiftPhase phase : ShiftPhase.values()) {
                    run.run(phase);
                    if (run.damaged() != 0) {
                        throw new AssertionError("a value is what was written");
                    }
                }
            }
        }
    }

    private void run(long seed, Sampler sampler) throws InterruptedException {
        BiConsumer<ShiftPhase, Moment> points =
                (phase, moment) -> sampler.point(point(phase, moment));
        ShiftRun run = new ShiftRun(plan, store, living, seed, points);
        long damaged = 0;
        double done = 0;
        for (ShiftPhase phase : ShiftPhase.values()) {
            run.run(phase);
            points.accept(phase, Moment.END);
            for (int i = 1; i < plan.points(); i++) {
                Thread.sleep(rest.dividedBy(plan.points()));
                points.accept(phase, Moment.DURING);
            }
            Thread.sleep(rest.dividedBy(plan.points()));
            points.accept(phase, Moment.RESTED);
            damaged += run.damaged();
            sampler.progress(++done / ShiftPhase.values().length);
        }
        sampler.latencies(PUTS, run.puts());
        sampler.latencies(READS, run.reads());
        sampler.latencies(UPDATES, run.updates());
        sampler.count(DAMAGED, damaged);
        sampler.count(LONGEST_WAIT, store.state().longestWaitNanos());
        sampler.count(WAITS, store.state().waitsForAnotherCopy());
    }

    private ShiftPoint point(ShiftPhase phase, Moment moment) {
        ValueStore.State state = store.state();
        Map<Value, Long> values = new EnumMap<>(Value.class);
        values.put(Value.NANOS, System.nanoTime() - startNanos);
        values.put(Value.BACKGROUND_NANOS, backgroundNanos());
        values.put(Value.LIVING, (long) living.count());
        values.put(Value.LIVE_BYTES, living.bytes());
        values.put(Value.RSS_BYTES, ProcessCheck.rssBytes().orElseThrow() - baseBytes);
        values.put(Value.REGION_BYTES, state.regionBytes());
        values.put(Value.TABLE_BYTES, state.tableBytes());
        values.put(Value.CYCLES, state.cycles());
        values.put(Value.EVACUATED_BYTES, state.evacuatedBytes());
        values.put(Value.MAPS, ProcessCheck.count().orElse(0) - baseMaps);
        return new ShiftPoint(phase, moment, values);
    }

    /** Of all threads but this one and the control: what the store does, and the compilers. */
    private long backgroundNanos() {
        return cpuNanos() - startCpuNanos - (ownNanos() - startOwnNanos);
    }

    private long ownNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() + control.cpuNanos();
    }

    private static long cpuNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? system.getProcessCpuTime()
                : 0;
    }
}
