package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

/** Entries that were replaced and are written again: who reads sees a value as a whole. */
class RecycledTest extends CacheFixture {
    private static final long KEY = 7;

    private static final Duration LIFETIME = Duration.ofMinutes(1);

    private static long handle(OffHeapCache<Long, ?> cache) {
        return handle(cache, KEY);
    }

    private static long handle(OffHeapCache<Long, ?> cache, long key) {
        Scratch scratch = found(cache, key);
        long handle = scratch.handle;
        cache.store().scratches.give(scratch);
        return handle;
    }

    private static long objects(OffHeapCache<?, ?> cache) {
        return cache.store().entries.heap.stats().liveObjects();
    }

    @Test
    void puts_ofAboutTheSameSize_useTwoObjectsInTurns() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, "one");
            long first = handle(cache);
            cache.put(KEY, "two");
            assertThat(handle(cache)).isNotEqualTo(first);
            cache.put(KEY, "three");
            assertThat(handle(cache)).isEqualTo(first);
            assertThat(cache.getIfPresent(KEY)).isEqualTo("three");
            assertThat(cache.asMap().replace(KEY, "three", "six")).isTrue();
            assertThat(cache.asMap().replace(KEY, "three", "ten")).isFalse();
            assertThat(cache.asMap().put(KEY, "")).isEqualTo("six");
            assertThat(cache.asMap().merge(KEY, "d", (a, b) -> b + a)).isEqualTo("d");
            assertThat(cache.asMap().compute(KEY, (_, known) -> known == null ? "no" : "net"))
                    .isEqualTo("net");
            assertThat(cache.getIfPresent(KEY)).isEqualTo("net");
            assertThat(cache.size()).isEqualTo(1);
            assertThat(objects(cache)).isEqualTo(2);
            CacheCheck.verify(cache.store());
        }
    }

    private static int kept(OffHeapCache<?, ?> cache) {
        int[] count = new int[1];
        cache.store().recycled.forEach(_ -> count[0]++);
        return count[0];
    }

    @Test
    void entriesThatAreKept_areFewOfEachSizeAndGoWhenTheyAreNotWanted() {
        long seed = Long.getLong("polder.test.seed", System.nanoTime());
        Random random = new Random(seed);
        int keys = 20_000;
        try (OffHeapCache<Long, String> cache = longs().build()) {
            for (int i = 0; i < 10 * keys; i++) {
                cache.put((long) random.nextInt(keys), "v".repeat(random.nextInt(300)));
            }
            assertThat(kept(cache)).as("seed=%s", seed).isBetween(50, 1000);
            cache.cleanUp();
            assertThat(kept(cache)).as("seed=%s", seed).isZero();
            cache.put(KEY, "one");
            cache.put(KEY, "two");
            assertThat(kept(cache)).as("seed=%s", seed).isPositive();
            cache.invalidateAll();
            assertThat(kept(cache)).as("seed=%s", seed).isZero();
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void entriesThatAreKept_goWhenThereAreFarFewer() {
        long seed = Long.getLong("polder.test.seed", System.nanoTime());
        Random random = new Random(seed);
        int keys = 80_000;
        try (OffHeapCache<Long, String> cache = longs().build()) {
            for (int i = 0; i < 2 * keys; i++) {
                cache.put((long) i % keys, "v".repeat(2000 + random.nextInt(7) * 8));
            }
            int before = kept(cache);
            for (long key = 0; key < keys - 10; key++) {
                cache.invalidate(key);
            }
            assertThat(before).as("seed=%s", seed).isGreaterThan(10);
            assertThat(kept(cache)).as("seed=%s", seed).isZero();
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void put_ofMoreBytes_evictsWhereTheCacheIsFull() {
        try (OffHeapCache<Long, String> cache = longs().maximumBytes(16 << 20).build()) {
            for (long key = 0; key < 200_000; key++) {
                cache.put(key, "v".repeat(20));
            }
            for (int turn = 0; turn < 3; turn++) {
                for (long key = 0; key < 200_000; key++) {
                    String _ =
                            cache.asMap().computeIfPresent(key, (_, was) -> was + "v".repeat(60));
                }
            }
            Store store = cache.store();
            assertThat(store.counts.bytes.get()).isLessThan(16 << 20);
            CacheCheck.verify(store);
        }
    }

    @Test
    void put_whoseListenerSeesTheOldValue_keepsItForLaterOnly() {
        List<String> told = new ArrayList<>();
        try (OffHeapCache<Long, String> cache =
                longs().removalListener((_, value, cause) -> told.add(cause + " " + value))
                        .build()) {
            cache.put(KEY, "one");
            cache.put(KEY, "two");
            cache.put(KEY + 1, "new");
            cache.put(KEY + 1, "six");
            cache.put(KEY, "ten");
            assertThat(told).containsExactly("REPLACED one", "REPLACED new", "REPLACED two");
            assertThat(objects(cache)).isLessThanOrEqualTo(3);
        }
    }

    @Test
    void put_ofTheSameSize_beginsAnotherLifetime() {
        List<String> told = new ArrayList<>();
        try (OffHeapCache<Long, String> cache =
                longs().expireAfterWrite(LIFETIME)
                        .removalListener(
                                (_, value, cause) -> told.add(cause + " " + value),
                                EnumSet.of(RemovalCause.EXPIRED))
                        .build()) {
            cache.put(KEY, "one");
            long handle = handle(cache);
            cache.put(KEY, "net");
            clock.addAndGet(LIFETIME.toNanos() - 1);
            cache.put(KEY, "two");
            assertThat(handle(cache)).isEqualTo(handle);
            clock.addAndGet(LIFETIME.toNanos() - 1);
            assertThat(cache.getIfPresent(KEY)).isEqualTo("two");
            clock.addAndGet(1);
            cache.put(KEY, "six");
            assertThat(told).containsExactly("EXPIRED two");
            assertThat(cache.getIfPresent(KEY)).isEqualTo("six");
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void put_whereReadsLengthenLives_usesAnEntryAgainIfItExpiresLater() {
        try (OffHeapCache<Long, String> cache = longs().expireAfterAccess(LIFETIME).build()) {
            cache.put(KEY, "net");
            long handle = handle(cache);
            cache.put(KEY, "one");
            cache.put(KEY, "six");
            assertThat(handle(cache)).as("at the same moment").isNotEqualTo(handle);
            handle = handle(cache);
            clock.addAndGet(LIFETIME.toNanos() - 1);
            assertThat(cache.getIfPresent(KEY)).isEqualTo("six");
            clock.addAndGet(LIFETIME.toNanos() - 1);
            cache.put(KEY, "one");
            cache.put(KEY, "two");
            assertThat(handle(cache)).as("later").isEqualTo(handle);
            clock.addAndGet(LIFETIME.toNanos() - 1);
            String read = cache.read(KEY, bytes -> Codec.strings().read(bytes));
            assertThat(read).isEqualTo("two");
            clock.addAndGet(LIFETIME.toNanos() - 1);
            assertThat(cache.getIfPresent(KEY)).isEqualTo("two");
            clock.addAndGet(LIFETIME.toNanos());
            assertThat(cache.getIfPresent(KEY)).isNull();
        }
    }

    @Test
    void put_passesOverAnEntryThatIsToExpireLater_whichStaysForOthers() {
        try (OffHeapCache<Long, String> cache = longs().expireAfterAccess(LIFETIME).build()) {
            cache.put(1L, "long", Duration.ofDays(1));
            cache.put(2L, "life");
            long late = handle(cache, 1);
            long early = handle(cache, 2);
            cache.put(1L, "of another size".repeat(10));
            cache.put(2L, "of another size".repeat(10));
            clock.incrementAndGet();
            cache.put(1L, "more");
            assertThat(handle(cache, 1)).isEqualTo(early);
            cache.put(2L, "most", Duration.ofDays(2));
            assertThat(handle(cache, 2)).isEqualTo(late);
            assertThat(cache.asMap()).isEqualTo(Map.of(1L, "more", 2L, "most"));
            CacheCheck.verify(cache.store());
        }
    }

    /** Whatever they are to wait for, they make room for others. */
    @Test
    void puts_whereAllEntriesAreToExpireLater_freeOneEach() {
        try (OffHeapCache<Long, String> cache = longs().expireAfterAccess(LIFETIME).build()) {
            for (long key = 0; key < 10; key++) {
                cache.put(key, "long", Duration.ofDays(1));
            }
            for (long key = 0; key < 10; key++) {
                cache.put(key, "of another size".repeat(10));
            }
            assertThat(kept(cache)).isEqualTo(10);
            clock.incrementAndGet();
            for (long key = 0; key < 10; key++) {
                cache.put(key, "life");
                // One of the size that is put went, and the one that was replaced is kept.
                assertThat(kept(cache)).isEqualTo(10);
            }
            clock.incrementAndGet();
            for (long key = 0; key < 10; key++) {
                cache.put(key, "of another size".repeat(10));
            }
            assertThat(objects(cache)).isEqualTo(20);
            CacheCheck.verify(cache.store());
        }
    }

    /** Whenever it stands still, and whatever else has the deadline that it has seen. */
    @Test
    void read_betweenWhoseStepsOthersPut_leavesTheDeadlinesOfOtherKeys() {
        Duration rest = Duration.ofSeconds(5);
        int interrupted = 0;
        for (int step = 1; step <= 8; step++) {
            int[] left = {0};
            List<Runnable> meanwhile = new ArrayList<>();
            OffHeapCacheBuilder<Long, String> builder =
                    longs().expireAfterAccess(LIFETIME)
                            .ticker(
                                    () -> {
                                        if (--left[0] == 0) {
                                            meanwhile.removeLast().run();
                                        }
                                        return clock.get();
                                    });
            try (OffHeapCache<Long, String> cache = builder.build()) {
                cache.put(KEY, "one");
                cache.put(KEY + 1, "net");
                clock.addAndGet(LIFETIME.minus(rest).toNanos());
                meanwhile.add(
                        () -> {
                            cache.put(KEY, "two");
                            cache.put(KEY + 1, "six", rest);
                        });
                left[0] = step;
                assertThat(cache.getIfPresent(KEY)).as("step=%s", step).isNotNull();
                left[0] = 0;
                if (meanwhile.isEmpty()) {
                    interrupted++;
                    assertThat(cache.policy().expiresIn(KEY + 1))
                            .as("step=%s", step)
                            .contains(rest);
                }
            }
        }
        assertThat(interrupted).isPositive();
    }

    /** Entries live as long from a read on; between what that sees and sets something is done. */
    private static Expiry<Long, String> withReads(Runnable meanwhile) {
        return new Expiry<>() {
            @Override
            public Duration afterWrite(Long key, String value) {
                return LIFETIME;
            }

            @Override
            public Duration afterRead(Long key, String value) {
                meanwhile.run();
                return LIFETIME;
            }
        };
    }

    private interface Change {
        void apply(OffHeapCache<Long, String> cache);
    }

    private OffHeapCache<Long, String> withReads(Change meanwhile) {
        List<OffHeapCache<Long, String>> made = new ArrayList<>();
        Expiry<Long, String> expiry = withReads(() -> meanwhile.apply(made.getFirst()));
        made.add(longs().expireAfter(expiry).build());
        return made.getFirst();
    }

    /** The reader of an old value must not shorten the life of the new one. */
    @Test
    void read_whoseValueIsReplaced_leavesTheDeadlineOfTheNextOne() {
        try (OffHeapCache<Long, String> cache =
                withReads(used -> used.put(KEY, "two", LIFETIME.multipliedBy(3)))) {
            cache.put(KEY, "one");
            assertThat(cache.getIfPresent(KEY)).isEqualTo("one");
            assertThat(cache.policy().expiresIn(KEY)).contains(LIFETIME.multipliedBy(3));
        }
    }

    /** Many entries have that deadline, so a reader could take one's for another's. */
    @Test
    void read_whoseEntryLivesForEver_leavesTheDeadlineOfOtherKeys() {
        Duration forEver = Duration.ofSeconds(Long.MAX_VALUE);
        Change puts =
                used -> {
                    used.put(KEY, "two", forEver);
                    used.put(KEY + 1, "six", forEver);
                };
        try (OffHeapCache<Long, String> cache = withReads(puts)) {
            cache.put(KEY, "one", forEver);
            cache.put(KEY + 1, "net", forEver);
            assertThat(cache.getIfPresent(KEY)).isEqualTo("one");
            clock.addAndGet(10 * LIFETIME.toNanos());
            assertThat(cache.policy().getIfPresentQuietly(KEY + 1)).isEqualTo("six");
        }
    }

    /** What was found has expired since, and its entry is another key's, which has expired too. */
    @Test
    void get_ofAKeyThatIsPutWhileItExpires_findsTheNewValue() {
        AtomicReference<@Nullable Runnable> meanwhile = new AtomicReference<>();
        OffHeapCacheBuilder<Long, String> builder =
                longs().hash((_, _) -> 5)
                        .expireAfterWrite(LIFETIME)
                        .ticker(
                                () -> {
                                    Runnable next = meanwhile.getAndSet(null);
                                    if (next != null) {
                                        next.run();
                                    }
                                    return clock.get();
                                });
        try (OffHeapCache<Long, String> cache = builder.build()) {
            cache.put(KEY, "one");
            cache.put(KEY + 1, "new");
            clock.addAndGet(LIFETIME.toNanos() - 100);
            meanwhile.set(
                    () -> {
                        cache.put(KEY, "two");
                        cache.put(KEY + 1, "six", Duration.ofNanos(50));
                        clock.addAndGet(200);
                    });
            assertThat(cache.getIfPresent(KEY)).isEqualTo("two");
            assertThat(cache.getIfPresent(KEY + 1)).isNull();
            CacheCheck.verify(cache.store());
        }
    }

    /** Then an entry may be in two lanes, and so must not become another key's. */
    @Test
    void errorThatCutsAMoveShort_hasReplacedEntriesFreed() {
        int[] left = {Integer.MAX_VALUE};
        Hash hash =
                (key, bytes) -> {
                    if (left[0]-- == 0) {
                        throw new StackOverflowError("by the test");
                    }
                    return Arrays.hashCode(Arrays.copyOf(key, bytes)) * 0x9E37_79B9_7F4A_7C15L;
                };
        int errors = 0;
        try (OffHeapCache<Long, String> cache = longs().hash(hash).build()) {
            Store store = cache.store();
            for (long key = 0; !store.index.isTorn(); key++) {
                left[0] = 4; // the put asks for one, and moves for more
                try {
                    cache.put(key, "one");
                } catch (StackOverflowError _) {
                    errors++;
                }
            }
            left[0] = Integer.MAX_VALUE;
            assertThat(errors).isPositive();
            cache.put(KEY, "one");
            long handle = handle(cache);
            cache.put(KEY, "two");
            assertThat(store.entries.heap.isLive(handle)).isFalse();
            assertThat(cache.getIfPresent(KEY)).isEqualTo("two");
            cache.invalidateAll();
        }
    }

    @Test
    void read_thatShortensALife_movesTheEntry() {
        try (OffHeapCache<Long, String> cache = longs().expireAfterAccess(LIFETIME).build()) {
            cache.put(KEY, "one", LIFETIME.multipliedBy(2));
            long handle = handle(cache);
            assertThat(cache.getIfPresent(KEY)).isEqualTo("one");
            assertThat(cache.policy().expiresIn(KEY)).contains(LIFETIME);
            assertThat(handle(cache)).isNotEqualTo(handle);
            assertThat(objects(cache)).isEqualTo(1);
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void put_ofALargeValue_makesAnotherEntry() {
        String large = "x".repeat(Scratch.ENTRY_BYTES);
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, large);
            String read =
                    cache.read(
                            KEY,
                            bytes -> {
                                cache.put(KEY, large.replace('x', 'y'));
                                return Codec.strings().read(bytes);
                            });
            assertThat(read).isEqualTo(large);
            assertThat(cache.getIfPresent(KEY)).isEqualTo(large.replace('x', 'y'));
        }
    }

    @Test
    void read_whoseEntryIsWrittenAgain_seesTheOldOneToTheEnd() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, "one");
            String read =
                    cache.read(
                            KEY,
                            bytes -> {
                                cache.put(KEY, "two");
                                cache.put(KEY, "six");
                                return Codec.strings().read(bytes);
                            });
            assertThat(read).isEqualTo("one");
            assertThat(cache.getIfPresent(KEY)).isEqualTo("six");
        }
    }

    /** So a reader who is still on that line does not believe what is written again elsewhere. */
    @Test
    void move_ofAnEntry_changesTheVersionOfTheLineThatItLeaves() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            for (long key = 0; key < 3000; key++) {
                cache.put(key, "one");
            }
            Lines lines = cache.store().lines;
            List<Scratch> before = new ArrayList<>();
            for (long key = 0; key < 3000; key++) {
                before.add(found(cache, key));
            }
            for (long key = 3000; key < 60_000; key++) {
                cache.put(key, "other");
            }
            int moved = 0;
            for (long key = 0; key < 3000; key++) {
                Scratch was = before.get((int) key);
                Scratch now = found(cache, key);
                if (now.line != was.line) {
                    moved++;
                    long version = lines.getAcquire(was.line, BucketLayout.LINK);
                    assertThat(BucketLayout.isSameVersion(version, was.version)).isFalse();
                }
                cache.store().scratches.give(now);
            }
            assertThat(moved).isGreaterThan(1000);
            before.forEach(cache.store().scratches::give);
        }
    }

    @Test
    void line_thatIsUsedAgain_keepsItsVersion() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, "one");
            Store store = cache.store();
            long link = store.index.spill.take();
            store.lines.setChanged(-link);
            long version = store.lines.getAcquire(-link, BucketLayout.LINK);
            store.index.spill.give(link);
            assertThat(store.index.spill.take()).isEqualTo(link);
            long again = store.lines.getAcquire(-link, BucketLayout.LINK);
            assertThat(BucketLayout.isSameVersion(again, version)).isTrue();
            assertThat(store.lines.link(-link)).isZero();
            store.index.spill.give(link);
        }
    }

    private OffHeapCacheBuilder<String, String> strings() {
        return OffHeapCache.<String, String>builder()
                .keyCodec(Codec.strings())
                .valueCodec(Codec.strings())
                .pool(pool);
    }

    /** As a hand may see one, or a reader who came before the entry was replaced. */
    @Test
    void entry_thatIsWrittenRightNow_isNotBelieved() {
        try (OffHeapCache<String, String> cache = strings().build()) {
            Store store = cache.store();
            for (int keyBytes : new int[] {300, 5000, Integer.MAX_VALUE, -1, Integer.MIN_VALUE}) {
                byte[] mixed = new byte[100];
                mixed[0] = (byte) 255; // the size follows
                MemorySegment.ofArray(mixed).set(ValueLayout.JAVA_INT_UNALIGNED, 1, keyBytes);
                long handle = store.entries.heap.allocate(MemorySegment.ofArray(mixed));
                Scratch scratch = store.scratches.take();
                long _ = store.entries.hash(handle, scratch);
                assertThat(store.locate(handle, scratch.rival, scratch)).isFalse();
                if (keyBytes > 0 && keyBytes <= 5000) {
                    byte[] _ = scratch.sharedKey(keyBytes);
                    assertThat(store.entries.matches(handle, scratch)).isFalse();
                }
                store.scratches.give(scratch);
                store.entries.heap.free(handle);
            }
        }
    }
}
