package io.polder.lab.experiments.evacuation;

import io.polder.heap.EvacuationFailurePolicy;
import io.polder.heap.HeapOptions;
import io.polder.heap.HeapStatistics;
import io.polder.heap.space.HeapCheck;
import io.polder.heap.space.HeapSettings;
import io.polder.lab.experiments.evacuation.Scale.ExhaustionPlan;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Nanos;
import io.polder.lab.harness.Sampler;
import io.polder.lab.report.Format;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;

/**
 * Main class of a measuring JVM: a heap that runs out of memory while it is compacted, again and
 * again, while threads use it; and after each time all bytes of all objects are compared.
 *
 * <p>In two ways: every second attempt to make room for a copy fails, or a limit leaves little
 * room.
 *
 * <p>Samples: those named here, of each {@link Way}.
 */
final class ExhaustionJvm {
    /** Cycles that ran out of memory, and all. */
    static final String EXHAUSTED = "exhausted";

    static final String CYCLES = "cycles";

    /** Copies for which there was no room, those made by threads that use the heap, and pins. */
    static final String REFUSED = "refused_copies";

    static final String HELPED = "helped";

    static final String PINNED = "pinned";

    /** Objects lost or damaged. */
    static final String LOST = "lost";

    /** Allocations for which there was no room. */
    static final String FULL = "full";

    /** Nanoseconds that a use of an object waited for a copy, at most. */
    static final String LONGEST_WAIT = "longest_wait";

    /** How often an update waited for a copy that another thread made. */
    static final String WAITS = "waits_for_another_copy";

    /** How long compaction took each time, and each use of an object. */
    static final String COMPACTIONS = "compactions";

    static final String OPERATIONS = "operations";

    /** As in a small region with many objects. */
    private static final int SIZE_MAX = 64 << 10;

    /** What the heap may have beyond its objects when memory is to be used up: nothing to spare. */
    private static final double TIGHT = 1.1;

    /** How a heap runs out of memory. */
    enum Way {
        /** Every second attempt to make room for a copy fails. */
        FAILING,
        /** A limit leaves hardly more room than the objects take. */
        TIGHT;

        /** In the table. */
        String id() {
            return Format.id(this);
        }

        /** Name of a sample of this way. */
        String sample(String name) {
            return id() + "." + name;
        }
    }

    private final ExhaustionPlan plan;
    private final Way way;
    private final LabHeap heap;
    private final List<Keeper> keepers = new ArrayList<>();
    private final Histogram compactions = Nanos.histogram();

    private ExhaustionJvm(ExhaustionPlan plan, Way way, LabHeap heap, long seed) {
        this.plan = plan;
        this.way = way;
        this.heap = heap;
        int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
        int slots = (int) (plan.liveBytes() / ValueSizes.ofCache().mean()) / threads;
        for (int i = 0; i < threads; i++) {
            keepers.add(new Keeper(heap.heap(), slots, i * slots, SIZE_MAX, seed + i));
        }
    }

    /** What it is told. */
    record Task(EvacuationFailurePolicy policy, long seed, ExhaustionPlan plan) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, ExhaustionJvm::run);
    }

    private static void run(Task task, Sampler sampler) throws InterruptedException {
        double done = 0;
        for (Way way : Way.values()) {
            try (LabHeap heap = new LabHeap(settings(way, task.policy(), task.plan()))) {
                new ExhaustionJvm(task.plan(), way, heap, task.seed()).run(sampler);
                heap.verifyAtRest();
            }
            sampler.progress(++done / Way.values().length);
        }
    }

    private static HeapSettings settings(
            Way way, EvacuationFailurePolicy policy, ExhaustionPlan plan) {
        // Compacted when this experiment says so, and by threads that find the heap full.
        HeapOptions options =
                HeapOptions.DEFAULT.withCompactionShare(0).withEvacuationFailure(policy);
        long tight = Math.max(HeapOptions.MAX_BYTES_MIN, (long) (TIGHT * plan.liveBytes()));
        return switch (way) {
            case FAILING -> HeapSettings.of(options).withFailEvery(2);
            case TIGHT -> HeapSettings.of(options.withMaxBytes(tight));
        };
    }

    private void run(Sampler sampler) throws InterruptedException {
        KeeperThreads threads = new KeeperThreads(keepers);
        long start = System.nanoTime();
        while (cycles() < plan.cycles() && System.nanoTime() - start < plan.time().toNanos()) {
            threads.operateWhile(this::compact);
            threads.checkAll();
        }
        threads.close();
        HeapStatistics stats = heap.stats();
        sampler.count(way.sample(EXHAUSTED), stats.outOfMemoryCycles());
        sampler.count(way.sample(CYCLES), stats.cycles());
        HeapCheck.Counts counts = heap.counts();
        sampler.count(way.sample(REFUSED), counts.refusedCopies());
        sampler.count(way.sample(HELPED), counts.helpedObjects());
        sampler.count(way.sample(PINNED), counts.pinnedObjects());
        sampler.count(way.sample(LONGEST_WAIT), stats.longestWaitNanos());
        sampler.count(way.sample(WAITS), stats.waitsForAnotherCopy());
        sampler.count(way.sample(LOST), keepers.stream().mapToLong(Keeper::lost).sum());
        sampler.count(way.sample(FULL), keepers.stream().mapToLong(Keeper::refused).sum());
        sampler.latencies(COMPACTIONS, compactions);
        keepers.forEach(keeper -> sampler.latencies(OPERATIONS, keeper.latencies()));
    }

    /** Cycles that count: where memory is tight a cycle may find room all the same. */
    private long cycles() {
        HeapStatistics stats = heap.stats();
        return way == Way.FAILING ? stats.outOfMemoryCycles() : stats.cycles();
    }

    private void compact() {
        long start = System.nanoTime();
        long _ = heap.heap().compact();
        Nanos.record(compactions, System.nanoTime() - start);
    }
}
