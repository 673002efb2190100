package io.polder.lab.experiments.evacuation;

import com.sun.management.ThreadMXBean;

import io.polder.MemoryPool;
import io.polder.heap.RelocatingHeap;
import io.polder.lab.experiments.evacuation.Scale.AccessPlan;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;
import io.polder.lab.harness.Turns;
import io.polder.lab.harness.WorkerThreads;
import io.polder.lab.report.Format;
import io.polder.page.Page;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Random;

/**
 * Main class of a measuring JVM: what it costs to use small objects that do not move, a few that
 * the caches hold, and so many that nearly every use misses them. The control copies by addresses,
 * from memory with huge pages where the system has them.
 *
 * <p>One thread. Kinds take turns, in an order drawn anew.
 *
 * <p>Samples: of each {@link Kind} in each round, nanoseconds of a use; and what is named here.
 */
final class AccessJvm {
    /** Memory of the Java heap that a read takes where there are readers of several classes. */
    static final String MANY_READERS_BYTES = "many-readers-bytes";

    /** Of the objects that the caches hold: with headers and words 80 KiB. */
    static final int FEW = 1024;

    private static final int PASSES = 20_000;

    /** What is done. */
    enum Kind {
        GET_LONG,
        GET_FEW,
        COPY_FEW,
        READ_MANY_READERS,
        GET_RANDOM,
        COPY_RANDOM;

        /** Name of its samples. */
        String id() {
            return Format.id(this);
        }
    }

    private AccessJvm() {}

    /** What it is told. */
    record Task(long seed, AccessPlan plan) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, AccessJvm::run);
    }

    private static void run(Task task, Sampler sampler) throws InterruptedException {
        AccessPlan plan = task.plan();
        long bytes = (long) plan.objects() * AccessLoop.OBJECT_BYTES;
        try (MemoryPool pool = MemoryPool.builder().name("lab-access").hugePages(true).build();
                Arena arena = Arena.ofShared();
                Page page = pool.pages().allocate(bytes);
                RelocatingHeap heap = pool.openHeap()) {
            MemorySegment beside = page.segment(arena).asSlice(0, bytes).fill((byte) 1);
            AccessLoop.Objects few = AccessLoop.Objects.of(heap, FEW);
            AccessLoop.Objects many = AccessLoop.Objects.of(heap, plan.objects());
            MemorySegment near = beside.asSlice(0, (long) FEW * AccessLoop.OBJECT_BYTES);
            WorkerThreads<Kind> worker =
                    new WorkerThreads<>(
                            1,
                            Kind.class,
                            (kind, _) ->
                                    switch (kind) {
                                        case GET_LONG -> new AccessLoop.GetLong(few);
                                        case GET_FEW -> new AccessLoop.Get(few);
                                        case COPY_FEW -> new AccessLoop.Copy(near);
                                        case READ_MANY_READERS -> new AccessLoop.ReadMany(few);
                                        case GET_RANDOM -> new AccessLoop.Get(many);
                                        case COPY_RANDOM -> new AccessLoop.Copy(beside);
                                    });
            measure(plan, worker, new Random(task.seed()), sampler);
            worker.close();
            sampler.sample(MANY_READERS_BYTES, bytesOfARead(new AccessLoop.ReadMany(few)));
        }
    }

    private static void measure(
            AccessPlan plan, WorkerThreads<Kind> worker, Random random, Sampler sampler)
            throws InterruptedException {
        List<Kind> kinds = List.of(Kind.values());
        long start = System.nanoTime();
        while (System.nanoTime() - start < plan.warmup().toNanos()) {
            for (Kind kind : kinds) {
                worker.measure(kind, plan.window());
            }
        }
        new Turns<>(kinds, plan.rounds(), random)
                .run(
                        (kind, _, done) -> {
                            WorkerThreads.Window window = worker.measure(kind, plan.window());
                            sampler.sample(kind.id(), window.cpuNanosPerOperation());
                            sampler.progress(done);
                        });
    }

    private static double bytesOfARead(AccessLoop loop) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        long operations = 0;
        for (int i = 0; i < PASSES; i++) {
            operations += loop.pass();
        }
        return (double) (threads.getCurrentThreadAllocatedBytes() - before) / operations;
    }
}
