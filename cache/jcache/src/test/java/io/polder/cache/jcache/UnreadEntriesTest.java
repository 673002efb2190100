package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.io.ObjectInputFilter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * What the log has of entries that left and cannot be read. It is the cache's own, and is tested
 * here since this is on the class path, from which the log can be seen.
 */
class UnreadEntriesTest {
    /** The filter allows them for as long as they are put. */
    @Test
    void removal_ofValuesThatCannotBeReadAnyMore_isLoggedNowAndThen() {
        AtomicBoolean allows = new AtomicBoolean(true);
        Codec<BitSet> values =
                Codec.javaSerialization(
                        BitSet.class,
                        _ ->
                                allows.get()
                                        ? ObjectInputFilter.Status.ALLOWED
                                        : ObjectInputFilter.Status.REJECTED);
        List<String> logged = new ArrayList<>();
        Handler handler =
                new Handler() {
                    @Override
                    public void publish(@Nullable LogRecord record) {
                        if (record != null) {
                            logged.add(record.getMessage() + " " + record.getThrown());
                        }
                    }

                    @Override
                    public void flush() {}

                    @Override
                    public void close() {}
                };
        Logger logger = Logger.getLogger("io.polder.cache");
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        logger.setLevel(Level.WARNING); // a program of another test may have set that of all
        try (OffHeapCache<Long, BitSet> cache =
                OffHeapCache.<Long, BitSet>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec(values)
                        .removalListener((_, _, _) -> {})
                        .executor(Runnable::run)
                        .build()) {
            for (long key = 0; key < 500; key++) {
                cache.put(key, new BitSet());
            }
            allows.set(false);
            assertThatThrownBy(() -> cache.put(1L, new BitSet()))
                    .hasMessageContaining("java.util.BitSet");
            assertThatThrownBy(() -> cache.getIfPresent(1L))
                    .hasMessageContaining("java.util.BitSet");
            for (long key = 0; key < 500; key++) {
                cache.invalidate(key);
            }
            assertThat(cache.size()).isZero();
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
            logger.setLevel(null);
        }
        assertThat(logged)
                .hasSize(9) // 1, 2, 4 and so on to 256
                .allSatisfy(each -> assertThat(each).contains("java.util.BitSet"))
                .last()
                .asString()
                .contains("so far=256");
    }
}
