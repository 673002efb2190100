package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that make the first entries of a cache at once: there is memory for each of them. */
@Timeout(300)
class FirstEntriesTest extends CacheFixture {
    private static final int THREADS = 2;
    private static final int ROUNDS = 50_000;

    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger arrived = new AtomicInteger();

    @Test
    void firstEntries_ofThreadsAtOnce_areAllMade() throws Exception {
        try (RelocatingHeap heap = pool.openHeap()) {
            Entries[] rounds = new Entries[ROUNDS];
            Arrays.setAll(rounds, _ -> none(heap));
            Thread[] threads = new Thread[THREADS];
            for (int i = 0; i < THREADS; i++) {
                threads[i] = Thread.ofPlatform().start(() -> makeFirst(rounds));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(refused.get()).as("entries that were not made").isZero();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // the other thread may need this processor
    private void makeFirst(Entries[] rounds) {
        for (int i = 0; i < rounds.length; i++) {
            int _ = arrived.getAndIncrement();
            while (arrived.get() < (i + 1) * THREADS) {
                Thread.yield();
            }
            long handle = rounds[i].tryAllocate(Long.BYTES, null);
            if (handle == 0) {
                int _ = refused.getAndIncrement();
            } else {
                rounds[i].heap.free(handle);
            }
        }
    }

    private static Entries none(RelocatingHeap heap) {
        return new Entries(heap, new EntryLayout(false, Long.BYTES), Hash.seeded(5), false);
    }
}
