package io.polder.lab.experiments.evacuation;

import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.space.HeapSettings;
import io.polder.lab.experiments.evacuation.Scale.FullHeapPlan;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Nanos;
import io.polder.lab.harness.Sampler;

import org.HdrHistogram.Histogram;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * Main class of a measuring JVM: objects are replaced at random in a heap that is nearly full, so
 * that each new one has room because others were moved.
 *
 * <p>The control are the frees in between, which wait for nothing but the processor.
 *
 * <p>Samples: those named here.
 */
final class FullHeapJvm {
    /** How long each allocation took, and each free. */
    static final String ALLOCATIONS = "allocations";

    static final String CONTROL = "control";

    /** How many allocations were refused. */
    static final String REFUSED = "refused";

    /** How much of its limit the heap holds for objects that live, in percent. */
    private static final int FULL = 88;

    private static final int OBJECT_BYTES = 64;

    /** What such an object takes, with its header and its word. */
    private static final int TAKEN_BYTES = 80;

    private final long[] handles;
    private final SplittableRandom random;
    private final MemorySegment content = MemorySegment.ofArray(new byte[OBJECT_BYTES]);
    private long refused;

    private FullHeapJvm(long limitBytes, long seed) {
        this.handles = new long[Math.toIntExact(limitBytes * FULL / 100 / TAKEN_BYTES)];
        this.random = new SplittableRandom(seed);
    }

    /** What it is told. */
    record Task(long seed, FullHeapPlan plan) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, FullHeapJvm::run);
    }

    private static void run(Task task, Sampler sampler) throws ExperimentException {
        FullHeapPlan plan = task.plan();
        FullHeapJvm jvm = new FullHeapJvm(plan.limitBytes(), task.seed());
        HeapOptions options = HeapOptions.DEFAULT.withMaxBytes(plan.limitBytes());
        Histogram allocations = Nanos.histogram();
        Histogram frees = Nanos.histogram();
        try (LabHeap heap = new LabHeap(HeapSettings.of(options))) {
            jvm.fill(heap.heap());
            jvm.replace(heap.heap(), plan.warmup().toNanos(), Nanos.histogram(), Nanos.histogram());
            sampler.progress(0.5);
            jvm.replace(heap.heap(), plan.time().toNanos(), allocations, frees);
            heap.verifyAtRest();
        }
        sampler.latencies(ALLOCATIONS, allocations);
        sampler.latencies(CONTROL, frees);
        sampler.count(REFUSED, jvm.refused);
    }

    private void fill(RelocatingHeap heap) throws ExperimentException {
        for (int i = 0; i < handles.length; i++) {
            handles[i] = heap.tryAllocate(content);
            ExperimentException.unless(
                    handles[i] != 0, "A heap refused objects before it was full.");
        }
    }

    private void replace(RelocatingHeap heap, long nanos, Histogram allocations, Histogram frees) {
        long end = System.nanoTime() + nanos;
        long now = System.nanoTime();
        while (now < end) {
            int i = random.nextInt(handles.length);
            if (handles[i] != 0) {
                heap.free(handles[i]);
            }
            long freed = System.nanoTime();
            Nanos.record(frees, freed - now);
            handles[i] = heap.tryAllocate(content);
            now = System.nanoTime();
            Nanos.record(allocations, now - freed);
            refused += handles[i] == 0 ? 1 : 0;
        }
    }
}
