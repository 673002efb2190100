package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.atomic.AtomicInteger;

import javax.cache.Cache;
import javax.cache.configuration.MutableCacheEntryListenerConfiguration;
import javax.cache.event.CacheEntryCreatedListener;

/** What changes leave that are cut short by the end of the stack: no key stays locked. */
@Timeout(300)
class StackEndTest extends JCacheFixture {
    private static final long STACK_BYTES = 256 << 10;

    /** From the end of the stack upwards: so many calls in a row that are not cut short. */
    private static final int FRAMES = 200;

    /** Often: where a stack ends depends on what is compiled. */
    private static final int ROUNDS = 5;

    /** Goes to the end of the stack, and does something in each of the last frames. */
    @SuppressWarnings("InfiniteRecursion") // it is about the end of the stack
    private static int fromTheEnd(Runnable operation) {
        int above;
        try {
            above = fromTheEnd(operation);
        } catch (StackOverflowError end) {
            above = 0;
        }
        if (above < FRAMES) {
            try {
                operation.run();
            } catch (StackOverflowError end) {
                return 0;
            }
        }
        return above + 1;
    }

    private static void put(Cache<Integer, Integer> cache, int key) {
        try {
            cache.put(key, key);
        } catch (RuntimeException cutShort) {
            // By the error of a listener.
        }
    }

    @Test
    void put_cutShort_leavesItsKeyToOthers() throws InterruptedException {
        AtomicInteger told = new AtomicInteger();
        CacheEntryCreatedListener<Integer, Integer> listener = _ -> told.getAndIncrement();
        PolderConfiguration<Integer, Integer> configuration = types(Integer.class, Integer.class);
        configuration.addCacheEntryListenerConfiguration(
                new MutableCacheEntryListenerConfiguration<>(() -> listener, null, false, true));
        Cache<Integer, Integer> cache = cache(configuration);
        put(cache, -1); // makes what exists once
        AtomicInteger keys = new AtomicInteger();
        for (int round = 0; round < ROUNDS; round++) {
            Runnable puts = () -> put(cache, keys.getAndIncrement());
            Thread deep =
                    new Thread(
                            null,
                            () -> {
                                int _ = fromTheEnd(puts);
                            },
                            "deep",
                            STACK_BYTES);
            deep.start();
            deep.join();
        }
        Thread other =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    for (int key = 0; key < keys.get(); key++) {
                                        cache.put(key, -1);
                                    }
                                });
        other.join(200_000);
        assertThat(other.isAlive()).as("waits for a thread that has ended").isFalse();
        assertThat(told).hasPositiveValue();
    }
}
