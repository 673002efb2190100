package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.MemoryPool;
import io.polder.cache.OffHeapCache;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.Iterator;
import java.util.concurrent.CountDownLatch;

import javax.cache.Cache;

/** Caches that are closed in the middle of an operation. */
@Timeout(300)
class ClosedMeanwhileTest extends JCacheFixture {
    private static boolean isRefused(OffHeapCache<Integer, String> entries) {
        try {
            String _ = entries.getIfPresent(1);
            return false;
        } catch (IllegalStateException closed) {
            return true;
        }
    }

    /** The close waits for somebody who reads a large value, and the cache refuses others. */
    @Test
    @SuppressWarnings({"unchecked", "ThreadPriorityCheck"})
    void iterator_ofACacheThatIsBeingClosed_saysSo() throws InterruptedException {
        Cache<Integer, String> cache = cache(types(Integer.class, String.class));
        cache.put(1, "x".repeat(10_000));
        OffHeapCache<Integer, String> entries = cache.unwrap(OffHeapCache.class);
        Iterator<Cache.Entry<Integer, String>> iterator = cache.iterator();
        CountDownLatch reads = new CountDownLatch(1);
        CountDownLatch isTold = new CountDownLatch(1);
        Thread reader =
                Thread.ofPlatform()
                        .start(
                                () ->
                                        entries.read(
                                                1,
                                                _ -> {
                                                    reads.countDown();
                                                    await(isTold);
                                                    return true;
                                                }));
        await(reads);
        Thread closer = Thread.ofPlatform().start(cache::close);
        try {
            while (!isRefused(entries)) {
                Thread.yield();
            }
            assertThat(closer.isAlive()).isTrue();
            assertThatThrownBy(iterator::next)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("the cache is closed");
        } finally {
            isTold.countDown();
            reader.join();
            closer.join();
        }
    }

    /** By a function to which a large value is lent, which must not close. */
    @Test
    @SuppressWarnings("unchecked")
    void close_thatWasRefused_isDoneWhenItIsCalledAgain() {
        try (MemoryPool pool = MemoryPool.builder().name("jcache-closed-again").build()) {
            Cache<Integer, String> cache =
                    cache(types(Integer.class, String.class).setPool(() -> pool));
            cache.put(1, "x".repeat(10_000));
            OffHeapCache<Integer, String> entries = cache.unwrap(OffHeapCache.class);
            assertThatThrownBy(
                            () ->
                                    entries.read(
                                            1,
                                            _ -> {
                                                cache.close();
                                                return true;
                                            }))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(cache.isClosed()).isTrue();
            assertThat(pool.stats().pages().takenBytes()).isPositive();
            cache.close();
            assertThat(pool.stats().pages().takenBytes()).isZero();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
