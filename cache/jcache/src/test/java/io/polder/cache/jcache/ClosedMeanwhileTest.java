package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.MemoryPool;
import io.polder.cache.OffHeapCache;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;

import javax.cache.Cache;
import javax.cache.CacheManager;
import javax.management.ObjectName;

/** Caches that are closed in the middle of an operation. */
@Timeout(300)
class ClosedMeanwhileTest extends JCacheFixture {
    private final CountDownLatch isTold = new CountDownLatch(1);

    private static boolean isRefused(OffHeapCache<Integer, String> entries) {
        try {
            String _ = entries.getIfPresent(1);
            return false;
        } catch (IllegalStateException closed) {
            return true;
        }
    }

    @SuppressWarnings("unchecked")
    private static OffHeapCache<Integer, String> entries(Cache<Integer, String> cache) {
        return cache.unwrap(OffHeapCache.class);
    }

    /** Reads a large value until it is told to leave: a close waits, and others are refused. */
    private Thread reader(Cache<Integer, String> cache) {
        OffHeapCache<Integer, String> entries = entries(cache);
        cache.put(1, "x".repeat(10_000));
        CountDownLatch reads = new CountDownLatch(1);
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
        return reader;
    }

    @Test
    @SuppressWarnings("ThreadPriorityCheck")
    void iterator_ofACacheThatIsBeingClosed_saysSo() throws InterruptedException {
        Cache<Integer, String> cache = cache(types(Integer.class, String.class));
        Thread reader = reader(cache);
        Iterator<Cache.Entry<Integer, String>> iterator = cache.iterator();
        Thread closer = Thread.ofPlatform().start(cache::close);
        try {
            while (!isRefused(entries(cache))) {
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

    @Test
    @SuppressWarnings("ThreadPriorityCheck")
    void createCache_whileOneOfItsNameIsBeingClosed_hasABean() throws Exception {
        PolderConfiguration<Integer, String> configuration = types(Integer.class, String.class);
        configuration.setStatisticsEnabled(true);
        CacheManager manager = manager("");
        Thread reader = reader(manager.createCache("again", configuration));
        Thread closer = Thread.ofPlatform().start(() -> manager.destroyCache("again"));
        try {
            while (manager.getCache("again") != null) {
                Thread.yield();
            }
            Cache<Integer, String> _ = manager.createCache("again", configuration);
        } finally {
            isTold.countDown();
            reader.join();
            closer.join();
        }
        ObjectName name =
                new ObjectName(
                        "javax.cache:type=CacheStatistics,CacheManager=polder.//test,Cache=again");
        assertThat(ManagementFactory.getPlatformMBeanServer().isRegistered(name)).isTrue();
    }

    /** By a function to which a large value is lent, which must not close. */
    @Test
    void close_thatWasRefused_isDoneWhenItIsCalledAgain() {
        try (MemoryPool pool = MemoryPool.builder().name("jcache-closed-again").build()) {
            Cache<Integer, String> cache =
                    cache(types(Integer.class, String.class).setPool(() -> pool));
            cache.put(1, "x".repeat(10_000));
            assertThatThrownBy(
                            () ->
                                    entries(cache)
                                            .read(
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
