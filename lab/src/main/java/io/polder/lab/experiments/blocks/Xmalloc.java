package io.polder.lab.experiments.blocks;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lever and Boreham's malloc-test with pure producers and pure consumers, as mimalloc-bench runs it
 * ({@code xmalloc-test -w THREADS -t 5 -s 64}): producers allocate batches, consumers free them. A
 * batch is a block, too, of pointers. An operation is a block that was freed.
 *
 * <pre>{@code
 *   producer --batch--> stack, the newest first, of so many at most --batch--> consumer
 *   batch: | link | pointer | pointer | ...
 * }</pre>
 */
final class Xmalloc {
    private static final int BATCH = 4096;
    private static final long POINTERS = Long.BYTES;
    private static final long BATCH_BYTES = POINTERS + (long) BATCH * Long.BYTES;
    private static final int BATCHES_MAX = 100;
    private static final int BYTES = 64;

    /** So long a thread waits for the stack before it looks whether it is to end. A guess. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final BlockSource source;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Long> stack = new ArrayDeque<>(BATCHES_MAX);

    private final int batchesMax;

    private Xmalloc(BlockSource source, int batchesMax) {
        this.source = source;
        this.batchesMax = batchesMax;
    }

    /** So many producers and as many consumers, with one batch between them or a full stack. */
    static Work.Team team(BlockSource source, int threads, boolean few) {
        Xmalloc shared = new Xmalloc(source, few ? 1 : BATCHES_MAX);
        List<Work> works = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            works.add(shared.new Producer());
            works.add(shared.new Consumer());
        }
        return new Work.Team(works, () -> shared.stack.forEach(shared::free));
    }

    private final class Producer implements Work {
        private long batch;

        @Override
        public long pass() {
            if (batch == 0) {
                batch = allocate();
            }
            if (push(batch)) {
                batch = 0;
            }
            return 0;
        }

        @Override
        public List<String> loops() {
            return List.of("Xmalloc\\.allocate", "Xmalloc\\.free");
        }

        @Override
        public void end() {
            if (batch != 0) {
                free(batch);
            }
        }
    }

    private final class Consumer implements Work {
        @Override
        public long pass() {
            long batch = pop();
            if (batch == 0) {
                return 0;
            }
            free(batch);
            return BATCH;
        }

        @Override
        public List<String> loops() {
            return List.of();
        }

        @Override
        public void end() {
            // It has none.
        }
    }

    private long allocate() {
        long batch = source.allocate(BATCH_BYTES);
        for (int i = 0; i < BATCH; i++) {
            long address = source.allocate(BYTES);
            for (int at = Long.BYTES; at < BYTES; at += Long.BYTES) {
                Marks.set(address + at, at);
            }
            Marks.write(address, BYTES, batch + i);
            Marks.set(batch + POINTERS + (long) i * Long.BYTES, address);
        }
        return batch;
    }

    private void free(long batch) {
        for (int i = 0; i < BATCH; i++) {
            long address = Marks.get(batch + POINTERS + (long) i * Long.BYTES);
            Marks.check(address, BYTES, batch + i);
            source.free(address);
        }
        source.free(batch);
    }

    private boolean push(long batch) {
        lock.lock();
        try {
            long left = PATIENCE_NANOS;
            while (stack.size() == batchesMax && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (stack.size() == batchesMax) {
                return false;
            }
            stack.push(batch);
            changed.signalAll();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** The newest batch; 0 if there is none. */
    private long pop() {
        lock.lock();
        try {
            long left = PATIENCE_NANOS;
            while (stack.isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (stack.isEmpty()) {
                return 0;
            }
            changed.signalAll();
            return stack.pop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        } finally {
            lock.unlock();
        }
    }
}
