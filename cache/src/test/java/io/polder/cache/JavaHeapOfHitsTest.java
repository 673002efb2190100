package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

import javax.management.JMException;
import javax.management.ObjectName;

/** What a question takes of the Java heap once it is compiled, if others are asked as well. */
@Timeout(300)
class JavaHeapOfHitsTest extends CacheFixture {
    private static final int CALLS = 10_000;
    private static final long TIME_OUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    static {
        Module own = JavaHeapOfHitsTest.class.getModule();
        Module _ = own.addReads(ModuleLayer.boot().findModule("java.management").orElseThrow());
    }

    /** Of this thread, ever. */
    private static long allocatedBytes() {
        try {
            return (long)
                    ManagementFactory.getPlatformMBeanServer()
                            .getAttribute(
                                    new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME),
                                    "CurrentThreadAllocatedBytes");
        } catch (JMException e) {
            throw new AssertionError("HotSpot counts them", e);
        }
    }

    private static void askOthers(OffHeapCache<Long, String> cache, Long key) {
        for (int i = 0; i < CALLS; i++) {
            assertThat(cache.policy().bytesOf(key)).isPresent();
            assertThat(cache.policy().expiresIn(key)).isPresent();
            assertThat(cache.asMap().entrySet().contains(Map.entry(key, "a"))).isTrue();
        }
    }

    private static long bytesOfContainsKey(ConcurrentMap<Long, String> map, Long key) {
        boolean all = true;
        long before = allocatedBytes();
        for (int i = 0; i < CALLS; i++) {
            all &= map.containsKey(key);
        }
        long bytes = allocatedBytes() - before;
        assertThat(all).isTrue();
        return bytes;
    }

    @Test
    void containsKey_hit_takesNothing() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            Long key = 1L;
            cache.put(key, "a");
            askOthers(cache, key);
            long begin = System.nanoTime();
            long bytes = Long.MAX_VALUE;
            while (bytes >= CALLS && System.nanoTime() - begin < TIME_OUT_NANOS) {
                bytes = bytesOfContainsKey(cache.asMap(), key);
            }
            assertThat(bytes).as("less than a byte for each call").isLessThan(CALLS);
        }
    }
}
