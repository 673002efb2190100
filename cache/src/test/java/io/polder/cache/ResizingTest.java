package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The index follows the number of entries to the end whatever another thread is at. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ResizingTest extends CacheFixture {
    private static final long KEYS = 20_000;

    private static void awaitNotRunning(Thread thread) throws InterruptedException {
        while (thread.getState() == Thread.State.RUNNABLE) {
            Thread.sleep(1);
        }
    }

    @Test
    void settleAll_whileAnotherThreadMergesABucket_mergesTheOthers() throws Exception {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            for (long key = 0; key < KEYS; key++) {
                cache.put(key, "a");
            }
            Store store = cache.store();
            Index index = store.index;
            store.clear(RemovalCause.EXPLICIT);
            assertThat(index.buckets()).isGreaterThan(KEYS / 10);
            Thread changing;
            Thread settling;
            synchronized (index.monitor(index.buckets() - 1)) {
                changing = Thread.ofPlatform().start(() -> store.resize(false));
                awaitNotRunning(changing);
                settling = Thread.ofPlatform().start(store.shrinking::settleAll);
                awaitNotRunning(settling);
            }
            changing.join();
            settling.join();
            assertThat(index.buckets()).isEqualTo(index.bucketsMin());
            CacheCheck.verify(store);
        }
    }

    /** Nobody waits for him: he may wait for what those give back who have the index follow. */
    @Test
    void settleAll_whileAnotherThreadAsksForMemory_doesNotWaitForIt() throws Exception {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            Store store = cache.store();
            Index index = store.index;
            store.counts.entries.set(1 << 20);
            while (Index.linesFor(index.buckets() + 4) <= store.lines.upperCount()) {
                store.resize(false);
            }
            Thread changing;
            synchronized (store.lines) { // who asks for memory takes it
                changing = Thread.ofPlatform().start(() -> resizeWhileThereAreEntries(store));
                awaitNotRunning(changing);
                store.counts.entries.set(0);
                store.shrinking.settleAll();
                assertThat(index.buckets()).isEqualTo(index.bucketsMin());
            }
            changing.join();
            assertThat(index.buckets()).isEqualTo(index.bucketsMin());
            CacheCheck.verify(store);
        }
    }

    private static void resizeWhileThereAreEntries(Store store) {
        while (store.counts.entries.get() > 0) {
            store.resize(false);
        }
    }
}
