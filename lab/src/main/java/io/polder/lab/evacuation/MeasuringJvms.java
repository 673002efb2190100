package io.polder.lab.evacuation;

import io.polder.bench.JvmFlags;
import io.polder.heap.space.GateKind;
import io.polder.heap.space.OutOfMemoryPolicy;
import io.polder.lab.experiment.ExperimentException;
import io.polder.lab.jvm.ChildJvm;
import io.polder.lab.jvm.ChildJvmException;

import java.util.ArrayList;
import java.util.List;

/**
 * Starts the JVMs that measure, each of which adds to findings.
 *
 * <p>Their Java heap has one size and is touched before, so that whatever the resident set grows by
 * is memory of the heaps that are measured.
 *
 * @param effort how much they do
 */
record MeasuringJvms(Effort effort) {
    /** Arguments of all of them, but for the size of the Java heap. */
    static final List<String> JVM_ARGS =
            List.of(
                    JvmFlags.NATIVE_ACCESS,
                    "-XX:+UseSerialGC",
                    "-XX:+AlwaysPreTouch",
                    // Of memory beside the Java heap that is compared with.
                    "-XX:MaxDirectMemorySize=1g");

    /** The Java heap, besides what grows with the workload. A guess, ample. */
    private static final long HEAP_BYTES = 96L << 20;

    private static final long YOUNG_BYTES = 32L << 20;

    void gates(long seed, Findings findings) throws ExperimentException, InterruptedException {
        run(GateJvm.class, 0, List.of(Long.toString(seed)), effort.gates().toArgs(), findings);
    }

    void reads(long seed, Findings findings) throws ExperimentException, InterruptedException {
        run(ReadJvm.class, 0, List.of(Long.toString(seed)), effort.reads().toArgs(), findings);
    }

    /** A rate of 0 is chosen by the JVM. */
    void traffic(GateKind gate, long seed, double rate, Findings findings)
            throws ExperimentException, InterruptedException {
        List<String> own = List.of(gate.name(), Long.toString(seed), Double.toString(rate));
        run(TrafficJvm.class, 0, own, effort.traffic().toArgs(), findings);
    }

    void exhaustion(OutOfMemoryPolicy policy, long seed, Findings findings)
            throws ExperimentException, InterruptedException {
        List<String> own = List.of(policy.name(), Long.toString(seed));
        run(ExhaustionJvm.class, 0, own, effort.exhaustion().toArgs(), findings);
    }

    void shift(ShiftContender contender, long seed, Findings findings)
            throws ExperimentException, InterruptedException {
        List<String> own = List.of(contender.name(), Long.toString(seed));
        long arrays = (long) effort.shift().valuesMax() * LivingValues.BYTES_PER_VALUE;
        run(ShiftJvm.class, arrays, own, effort.shift().toArgs(), findings);
    }

    void stall(long seed, Findings findings) throws ExperimentException, InterruptedException {
        run(StallJvm.class, 0, List.of(Long.toString(seed)), effort.stall().toArgs(), findings);
    }

    private static void run(
            Class<?> main, long arraysBytes, List<String> own, List<String> plan, Findings findings)
            throws ExperimentException, InterruptedException {
        List<String> jvmArgs = new ArrayList<>(JVM_ARGS);
        jvmArgs.add("-Xms" + (HEAP_BYTES + arraysBytes));
        jvmArgs.add("-Xmx" + (HEAP_BYTES + arraysBytes));
        jvmArgs.add("-Xmn" + YOUNG_BYTES);
        List<String> args = new ArrayList<>(own);
        args.addAll(plan);
        int complete = findings.complete();
        try {
            new ChildJvm(main, jvmArgs, args, Effort.timeout()).run(findings::accept);
        } catch (ChildJvmException e) {
            throw new ExperimentException("Measuring failed. " + e.getMessage(), e);
        }
        if (findings.complete() == complete) {
            throw new ExperimentException(main.getSimpleName() + " ended early.", null);
        }
    }
}
