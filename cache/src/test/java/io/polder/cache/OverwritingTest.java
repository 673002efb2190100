package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Values that are put where one of the same size is: who reads sees one of them as a whole. */
class OverwritingTest extends CacheFixture {
    private static final long KEY = 7;

    /** So few that who reads one often meets somebody who writes it. */
    private static final int HOT_KEYS = 2;

    /** Some lines of a bucket. */
    private static final int MOVING_KEYS = 24;

    private static final Duration LIFETIME = Duration.ofMinutes(1);

    @TempDir private Path folder;

    private static long handle(OffHeapCache<Long, ?> cache) {
        Scratch scratch = found(cache, KEY);
        long handle = scratch.handle;
        cache.store().scratches.give(scratch);
        return handle;
    }

    @Test
    void put_ofTheSameSize_keepsTheEntryAndItsMemory() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, "one");
            long handle = handle(cache);
            cache.put(KEY, "two");
            assertThat(cache.getIfPresent(KEY)).isEqualTo("two");
            assertThat(cache.asMap().replace(KEY, "two", "six")).isTrue();
            assertThat(cache.asMap().replace(KEY, "two", "ten")).isFalse();
            assertThat(cache.asMap().put(KEY, "ten")).isEqualTo("six");
            assertThat(cache.asMap().merge(KEY, "d", (a, b) -> b + a.substring(1)))
                    .isEqualTo("den");
            assertThat(cache.asMap().compute(KEY, (_, known) -> known == null ? "no" : "net"))
                    .isEqualTo("net");
            assertThat(cache.getIfPresent(KEY)).isEqualTo("net");
            assertThat(handle(cache)).isEqualTo(handle);
            cache.put(KEY, "three");
            assertThat(handle(cache)).isNotEqualTo(handle);
            assertThat(cache.size()).isEqualTo(1);
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void put_whoseListenerSeesTheOldValue_makesAnotherEntry() {
        List<String> told = new ArrayList<>();
        try (OffHeapCache<Long, String> cache =
                longs().removalListener((_, value, cause) -> told.add(cause + " " + value))
                        .build()) {
            cache.put(KEY, "one");
            cache.put(KEY, "two");
            assertThat(told).containsExactly("REPLACED one");
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
    void put_whereReadsLengthenLives_overwrites() {
        try (OffHeapCache<Long, String> cache = longs().expireAfterAccess(LIFETIME).build()) {
            cache.put(KEY, "one");
            long handle = handle(cache);
            clock.addAndGet(LIFETIME.toNanos() - 1);
            assertThat(cache.getIfPresent(KEY)).isEqualTo("one");
            clock.addAndGet(LIFETIME.toNanos() - 1);
            cache.put(KEY, "two");
            assertThat(handle(cache)).isEqualTo(handle);
            clock.addAndGet(LIFETIME.toNanos() - 1);
            String read = cache.read(KEY, bytes -> Codec.strings().read(bytes));
            assertThat(read).isEqualTo("two");
            clock.addAndGet(LIFETIME.toNanos());
            assertThat(cache.getIfPresent(KEY)).isNull();
        }
    }

    /** The reader of an old value must not shorten the life of the new one. */
    @Test
    void read_whoseValueIsOverwritten_leavesItsDeadline() {
        try (OffHeapCache<Long, String> cache = longs().expireAfterAccess(LIFETIME).build()) {
            cache.put(KEY, "one");
            String read =
                    cache.read(
                            KEY,
                            bytes -> {
                                cache.put(KEY, "two", LIFETIME.multipliedBy(3));
                                return Codec.strings().read(bytes);
                            });
            assertThat(read).isEqualTo("one");
            assertThat(cache.policy().expiresIn(KEY)).contains(LIFETIME.multipliedBy(3));
        }
    }

    @Test
    void put_whereEachEntryHasALifetimeOfItsOwn_makesAnotherEntry() {
        try (OffHeapCache<Long, String> cache = longs().expireAfter((_, _) -> LIFETIME).build()) {
            cache.put(KEY, "one");
            long handle = handle(cache);
            cache.put(KEY, "two");
            assertThat(handle(cache)).isNotEqualTo(handle);
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
    void read_whoseValueIsOverwritten_seesTheOldOneToTheEnd() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, "one");
            String read =
                    cache.read(
                            KEY,
                            bytes -> {
                                cache.put(KEY, "two");
                                return Codec.strings().read(bytes);
                            });
            assertThat(read).isEqualTo("one");
            assertThat(cache.getIfPresent(KEY)).isEqualTo("two");
        }
    }

    /** So a reader who is still on that line does not take what is overwritten for whole. */
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

    @Test
    void read_ofALineThatAnErrorLeftChanging_mendsIt() {
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, "one");
            Scratch scratch = found(cache, KEY);
            Lines lines = cache.store().lines;
            lines.setChanging(scratch.line);
            assertThat(cache.getIfPresent(KEY)).isEqualTo("one");
            long version = lines.getAcquire(scratch.line, BucketLayout.LINK);
            assertThat(BucketLayout.isSameVersion(version, version)).isTrue();
            lines.setChanging(scratch.line);
            cache.put(KEY, "two");
            assertThat(cache.getIfPresent(KEY)).isEqualTo("two");
            lines.setChanging(scratch.line);
            assertThat(cache.asMap().remove(KEY, "two")).isTrue();
            cache.store().scratches.give(scratch);
            CacheCheck.verify(cache.store());
        }
    }

    @Test
    void remove_ofALargeValueInALineThatAnErrorLeftChanging_isDone() {
        String large = "x".repeat(Scratch.ENTRY_BYTES);
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(KEY, large);
            Scratch scratch = found(cache, KEY);
            cache.store().lines.setChanging(scratch.line);
            cache.store().scratches.give(scratch);
            assertThat(cache.asMap().remove(KEY)).isEqualTo(large);
            CacheCheck.verify(cache.store());
        }
    }

    private static boolean isWhole(MemorySegment bytes) {
        byte first = bytes.get(ValueLayout.JAVA_BYTE, 0);
        for (long i = 1; i < bytes.byteSize(); i++) {
            if (bytes.get(ValueLayout.JAVA_BYTE, i) != first) {
                return false;
            }
        }
        return true;
    }

    /** A codec of a program, which is shown copies. */
    private static final class Foreign implements Codec<byte[]> {
        @Override
        public long size(byte[] value) {
            return value.length;
        }

        @Override
        public void write(byte[] value, MemorySegment to) {
            to.copyFrom(MemorySegment.ofArray(value));
        }

        @Override
        public byte[] read(MemorySegment from) {
            return from.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private void readWhole(OffHeapCache<Long, byte[]> cache, Codec<byte[]> codec, Random random)
            throws IOException {
        long key = random.nextInt(HOT_KEYS);
        switch (random.nextInt(2000)) {
            case 0 -> {
                for (Map.Entry<Long, byte[]> each : cache.asMap().entrySet()) {
                    assertThat(isWhole(MemorySegment.ofArray(each.getValue()))).isTrue();
                }
            }
            case 1 ->
                    assertThat(cache.policy().hottest(3).values())
                            .allMatch(each -> isWhole(MemorySegment.ofArray(each)));
            case 2 -> {
                Path path = folder.resolve("cache");
                long _ = cache.writeTo(path);
                try (OffHeapCache<Long, byte[]> other =
                        OffHeapCache.<Long, byte[]>builder()
                                .keyCodec(Codec.longs())
                                .valueCodec(codec)
                                .pool(pool)
                                .build()) {
                    long _ = other.readFrom(path);
                    assertThat(other.asMap().values())
                            .allMatch(each -> isWhole(MemorySegment.ofArray(each)));
                }
            }
            default -> {
                if (random.nextBoolean()) {
                    byte[] seen = cache.getIfPresent(key);
                    assertThat(seen == null || isWhole(MemorySegment.ofArray(seen))).isTrue();
                } else {
                    Boolean whole = cache.read(key, OverwritingTest::isWhole);
                    assertThat(whole == null || whole).isTrue();
                }
            }
        }
    }

    /** Few keys that all writers overwrite, while others come and go and the heap is compacted. */
    private void write(OffHeapCache<Long, byte[]> cache, Random random, int[] sizes) {
        boolean isOfAnySize = random.nextInt(10) == 0;
        byte[] value = new byte[isOfAnySize ? sizes[random.nextInt(sizes.length)] : sizes[0]];
        Arrays.fill(value, (byte) random.nextInt());
        if (random.nextInt(20) == 0) {
            long other = 100L + random.nextInt(20_000);
            if (random.nextBoolean()) {
                cache.put(other, value);
            } else {
                cache.invalidate(other);
            }
        } else {
            cache.put((long) random.nextInt(HOT_KEYS), value);
        }
        if (random.nextInt(5000) == 0) {
            cache.cleanUp();
        }
    }

    @Test
    void values_thatAreOverwrittenAllTheTime_areSeenAsAWhole() throws Exception {
        long seed = Long.getLong("polder.test.seed", System.nanoTime());
        for (int round = 0; round < 4; round++) {
            Random sizesBy = new Random(seed + round);
            int[] sizes = { // mostly the first
                Scratch.ENTRY_BYTES - Long.BYTES - sizesBy.nextInt(2000),
                1 + sizesBy.nextInt(1000),
                Scratch.ENTRY_BYTES + sizesBy.nextInt(16)
            };
            Codec<byte[]> codec = round % 2 == 0 ? new Foreign() : Codec.bytes();
            try (OffHeapCache<Long, byte[]> cache =
                    OffHeapCache.<Long, byte[]>builder()
                            .keyCodec(Codec.longs())
                            .valueCodec(codec)
                            .pool(pool)
                            .build()) {
                readWhileOthersWrite(cache, codec, seed + round, sizes);
                CacheCheck.verify(cache.store());
            } catch (Exception | AssertionError thrown) {
                throw new AssertionError("seed=" + seed + ", round=" + round, thrown);
            }
        }
    }

    private void readWhileOthersWrite(
            OffHeapCache<Long, byte[]> cache, Codec<byte[]> codec, long seed, int[] sizes)
            throws Exception {
        int reads = 0;
        Random random = new Random(seed * 37);
        long end = System.nanoTime() + 700_000_000;
        try (Writers _ = new Writers(seed, each -> write(cache, each, sizes))) {
            while (System.nanoTime() < end) {
                readWhole(cache, codec, random);
                reads++;
            }
        }
        assertThat(reads).isGreaterThan(100);
    }

    /** Two threads that do something again and again, until this is closed. */
    private static final class Writers implements AutoCloseable {
        private final AtomicBoolean stop = new AtomicBoolean();
        private final ExecutorService executor = Executors.newCachedThreadPool();
        private final List<Future<?>> running = new ArrayList<>();

        Writers(long seed, Consumer<Random> turn) {
            for (int thread = 0; thread < 2; thread++) {
                Random random = new Random(seed * 31 + thread);
                running.add(
                        executor.submit(
                                () -> {
                                    while (!stop.get()) {
                                        turn.accept(random);
                                    }
                                }));
            }
        }

        @Override
        public void close() {
            stop.set(true);
            executor.close();
            for (Future<?> each : running) {
                assertThat(each).succeedsWithin(Duration.ZERO);
            }
        }
    }

    /** All in one bucket: entries move from line to line, and lines come and go, all the time. */
    @Test
    void values_ofEntriesThatMove_areSeenAsAWhole() throws Exception {
        long seed = Long.getLong("polder.test.seed", System.nanoTime());
        Random sizesBy = new Random(seed);
        int bytes = Scratch.ENTRY_BYTES - Long.BYTES - sizesBy.nextInt(2000);
        Random random = new Random(seed * 37);
        long end = System.nanoTime() + 2_000_000_000;
        try (OffHeapCache<Long, byte[]> cache =
                OffHeapCache.<Long, byte[]>builder()
                        .keyCodec(Codec.longs())
                        .valueCodec(Codec.bytes())
                        .hash((_, _) -> 5)
                        .pool(pool)
                        .build()) {
            try (Writers _ = new Writers(seed, each -> moveSome(cache, each, bytes))) {
                while (System.nanoTime() < end) {
                    byte[] seen = cache.getIfPresent((long) random.nextInt(MOVING_KEYS));
                    assertThat(seen == null || isWhole(MemorySegment.ofArray(seen)))
                            .as("seed=%s", seed)
                            .isTrue();
                }
            }
            CacheCheck.verify(cache.store());
        }
    }

    private static void moveSome(OffHeapCache<Long, byte[]> cache, Random random, int bytes) {
        long key = random.nextInt(MOVING_KEYS);
        byte[] value = new byte[bytes];
        Arrays.fill(value, (byte) random.nextInt());
        switch (random.nextInt(4)) {
            case 0 -> cache.invalidate(key);
            case 1 -> {
                byte[] _ = cache.asMap().remove(key);
            }
            default -> cache.put(key, value);
        }
    }

    @Test
    void replace_ofNumbersByManyThreads_losesNothing() throws Exception {
        int threads = 3;
        int rounds = 5000;
        try (OffHeapCache<Long, Long> cache =
                        OffHeapCache.<Long, Long>builder()
                                .keyCodec(Codec.longs())
                                .valueCodec(Codec.longs())
                                .pool(pool)
                                .build();
                ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            cache.put(KEY, 0L);
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                running.add(executor.submit(() -> increment(cache, rounds)));
            }
            for (Future<?> each : running) {
                each.get();
            }
            assertThat(cache.getIfPresent(KEY)).isEqualTo((long) threads * rounds);
        }
    }

    private static void increment(OffHeapCache<Long, Long> cache, int rounds) {
        for (int i = 0; i < rounds; i++) {
            boolean done = false;
            while (!done) {
                Long known = cache.getIfPresent(KEY);
                done = known != null && cache.asMap().replace(KEY, known, known + 1);
            }
        }
    }
}
