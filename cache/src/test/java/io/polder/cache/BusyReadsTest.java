package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

/** Changes of when an entry expires, whose reads never end. */
class BusyReadsTest extends CacheFixture {
    private static final long LIFETIME = 1000;
    private static final int READS_MAX = 1000;

    private final OffHeapCache<Long, String> cache =
            longs().ticker(this::now).expireAfterAccess(Duration.ofNanos(LIFETIME)).build();

    /** That of the entry, which readers do not need. */
    private Object monitor = this;

    private boolean isBusy;
    private int reads;

    /** Between any two looks at the entry others read it a moment later. */
    private long now() {
        if (isBusy && reads < READS_MAX && !Thread.holdsLock(monitor)) {
            isBusy = false;
            reads++;
            clock.getAndIncrement();
            assertThat(cache.getIfPresent(1L)).isNotNull();
            isBusy = true;
        }
        return clock.get();
    }

    /** Sooner and later than by a read, of an entry that is copied and of one that is not. */
    @ParameterizedTest
    @CsvSource({"500, 10", "500, 5000", "2000, 10", "2000, 5000"})
    void setExpiresIn_besideReadsWithoutEnd_isDone(long lifetime, int size) {
        try (cache) {
            cache.put(1L, "v".repeat(size));
            Scratch found = found(cache, 1);
            monitor = cache.store().index.monitor(found.hash);
            cache.store().scratches.give(found);
            isBusy = true;
            assertThat(cache.policy().setExpiresIn(1L, Duration.ofNanos(lifetime))).isTrue();
            isBusy = false;
            assertThat(reads).as("turns of those who read").isBetween(1, 10);
            assertThat(cache.policy().expiresIn(1L).orElseThrow())
                    .isBetween(Duration.ofNanos(lifetime - reads), Duration.ofNanos(lifetime));
            CacheCheck.verify(cache.store());
        }
    }
}
