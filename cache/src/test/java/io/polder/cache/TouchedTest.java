package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/**
 * Reads that change when entries expire, between whose steps others do anything: no other entry's
 * time changes with them, though objects go from key to key.
 */
class TouchedTest extends CacheFixture {
    private static final int KEYS = 3;
    private static final long LIFETIME = 1000;

    /** So that many entries have the same deadline. */
    private static final long STEP = LIFETIME / 4;

    private static final int DEPTH_MAX = 2;

    /** More than what is written again. */
    private static final String LARGE = "x".repeat(5000);

    private int usedAgain;

    /** Changes of a cache by chance, and what its keys should have then. */
    private final class Round implements AutoCloseable, Expiry<Long, String> {
        private final Random random;
        private final boolean isByExpiry;
        private final boolean hastens;
        private final OffHeapCache<Long, String> cache;
        private final @Nullable String[] values = new @Nullable String[KEYS];
        private final long[] deadlines = new long[KEYS];

        /** How often each key was put, and how often its deadline was changed otherwise. */
        private final int[] puts = new int[KEYS];

        private final int[] touches = new int[KEYS];
        private final Set<Long> handles = new HashSet<>();
        private int depth;

        Round(long seed, boolean hastens) {
            this.random = new Random(seed);
            this.isByExpiry = random.nextBoolean();
            this.hastens = hastens;
            OffHeapCacheBuilder<Long, String> builder = longs();
            this.cache =
                    isByExpiry
                            ? builder.expireAfter(this).build()
                            : builder.expireAfterAccess(Duration.ofNanos(LIFETIME)).build();
        }

        @Override
        public void close() {
            cache.close();
        }

        @Override
        public Duration afterWrite(Long key, String value) {
            return Duration.ofNanos(LIFETIME);
        }

        @Override
        public Duration afterRead(Long key, String value) {
            String _ = meanwhile(value);
            return Duration.ofNanos(LIFETIME);
        }

        private boolean isThere(int key) {
            return values[key] != null && deadlines[key] > clock.get();
        }

        void change() {
            int key = random.nextInt(KEYS);
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> put(key);
                case 3, 4 -> read(key);
                case 5, 6 -> clock.addAndGet(random.nextInt(3) * STEP);
                default -> setExpiresIn(key);
            }
        }

        private void put(int key) {
            String padding = random.nextInt(4) == 0 ? LARGE : "";
            String value = "v" + (100 + random.nextInt(900)) + padding;
            long lifetime = STEP * (1 + random.nextInt(hastens ? 8 : 4));
            if (random.nextBoolean()) {
                cache.put((long) key, value, Duration.ofNanos(lifetime));
            } else {
                cache.put((long) key, value);
                lifetime = LIFETIME;
            }
            values[key] = value;
            deadlines[key] = clock.get() + lifetime;
            puts[key]++;
            Scratch found = found(cache, key);
            usedAgain += handles.add(found.handle) ? 0 : 1;
            cache.store().scratches.give(found);
        }

        private void setExpiresIn(int key) {
            long lifetime = STEP * (1 + random.nextInt(4));
            if (!hastens && clock.get() + lifetime < deadlines[key]) {
                return;
            }
            boolean done = cache.policy().setExpiresIn((long) key, Duration.ofNanos(lifetime));
            assertThat(done).isEqualTo(isThere(key));
            if (done) {
                deadlines[key] = clock.get() + lifetime;
                touches[key]++;
            }
        }

        private void read(int key) {
            String expected = isThere(key) ? values[key] : null;
            int putsBefore = puts[key];
            int touchesBefore = touches[key];
            if (!isByExpiry && expected != null && !expected.endsWith(LARGE)) {
                assertThat(readCopy(key)).isEqualTo(expected);
                return;
            }
            String seen =
                    isByExpiry
                            ? cache.getIfPresent((long) key)
                            : cache.read(
                                    (long) key, bytes -> meanwhile(Codec.strings().read(bytes)));
            assertThat(seen).isEqualTo(expected);
            if (expected == null || puts[key] != putsBefore) {
                return; // what was put meanwhile must be what it was put as
            }
            long actual = deadlineOf(key);
            if (isThere(key) && touches[key] == touchesBefore) {
                assertThat(actual).isEqualTo(clock.get() + LIFETIME);
            } else {
                long known = isThere(key) ? deadlines[key] : -1;
                assertThat(actual).isIn(known, clock.get() + LIFETIME);
            }
            deadlines[key] = actual;
            values[key] = actual < 0 ? null : expected;
            touches[key]++;
        }

        /** That lengthens the life first. */
        private @Nullable String readCopy(int key) {
            return cache.read(
                    (long) key,
                    bytes -> {
                        deadlines[key] = clock.get() + LIFETIME;
                        touches[key]++;
                        return meanwhile(Codec.strings().read(bytes));
                    });
        }

        /** Between what a read sees and what it sets. */
        private String meanwhile(String value) {
            if (depth < DEPTH_MAX) {
                depth++;
                for (int i = random.nextInt(10); i > 0; i--) {
                    change();
                }
                depth--;
            }
            return value;
        }

        private long deadlineOf(int key) {
            return cache.policy()
                    .expiresIn((long) key)
                    .map(left -> clock.get() + left.toNanos())
                    .orElse(-1L);
        }

        void verify() {
            for (int key = 0; key < KEYS; key++) {
                boolean isThere = isThere(key);
                assertThat(deadlineOf(key)).isEqualTo(isThere ? deadlines[key] : -1);
                values[key] = isThere ? values[key] : null;
                assertThat(cache.policy().getIfPresentQuietly((long) key)).isEqualTo(values[key]);
            }
        }
    }

    private void rounds(boolean hastens) {
        long seed = Long.getLong("polder.test.seed", System.nanoTime());
        for (int i = 0; i < 300; i++) {
            try (Round round = new Round(seed + i, hastens)) {
                for (int turn = 0; turn < 200; turn++) {
                    round.change();
                    round.verify();
                }
                CacheCheck.verify(round.cache.store());
            } catch (AssertionError | RuntimeException thrown) {
                throw new AssertionError("seed=" + (seed + i) + ", hastens=" + hastens, thrown);
            }
        }
    }

    @Test
    void reads_thatLengthenLives_leaveOtherEntriesAlone() {
        rounds(false);
        assertThat(usedAgain).isGreaterThan(1000);
    }

    @Test
    void reads_thatLengthenAndShortenLives_leaveOtherEntriesAlone() {
        rounds(true);
        assertThat(usedAgain).isPositive();
    }
}
