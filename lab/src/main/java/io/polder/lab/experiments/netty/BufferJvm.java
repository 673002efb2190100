package io.polder.lab.experiments.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;
import io.polder.lab.harness.WorkerThreads;

/**
 * Main class of a measuring JVM: what an allocation and its release cost with one allocator, on one
 * thread and on several that have nothing to do with each other. They are such as Netty's event
 * loops have, which its allocators tell from others.
 *
 * <p>Samples: {@link BufferPattern#nanos}, of processor time.
 */
final class BufferJvm {
    private BufferJvm() {}

    /** What it is told. */
    record Task(Contender contender, long seed, Scale.Buffers scale) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, BufferJvm::run);
    }

    private static void run(Task task, Sampler sampler) throws InterruptedException {
        ByteBufAllocator allocator = task.contender().open();
        double steps = (double) Scale.Buffers.THREADS.size() * BufferPattern.values().length;
        int done = 0;
        for (int threads : Scale.Buffers.THREADS) {
            WorkerThreads<BufferPattern> workers =
                    new WorkerThreads<>(
                            threads,
                            BufferPattern.class,
                            (pattern, thread) -> pattern.loop(allocator, task.seed() + thread),
                            new DefaultThreadFactory("polder-lab-worker", true));
            for (BufferPattern pattern : BufferPattern.values()) {
                workers.measure(pattern, task.scale().warmup());
                sampler.sample(
                        pattern.nanos(task.contender(), threads),
                        workers.measure(pattern, task.scale().window()).cpuNanosPerOperation());
                sampler.progress(++done / steps);
            }
            workers.close();
        }
    }
}
