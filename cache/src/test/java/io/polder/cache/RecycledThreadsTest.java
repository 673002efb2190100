package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Threads that read and change values whose entries were other keys' a moment ago. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RecycledThreadsTest extends CacheFixture {
    private static final long KEY = 7;

    /** So few that who reads one often meets somebody who writes it. */
    private static final int HOT_KEYS = 2;

    /** Some lines of a bucket. */
    private static final int MOVING_KEYS = 24;

    /** So that the sizes of some keys take one byte, and those of others five. */
    private static final int KEY_LENGTHS = 700;

    /** Far more than other threads can make in vain. */
    private static final int ATTEMPTS = 10_000_000;

    private static final Duration LIFETIME = Duration.ofMinutes(1);

    @TempDir private Path folder;

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
                    Boolean whole = cache.read(key, RecycledThreadsTest::isWhole);
                    assertThat(whole == null || whole).isTrue();
                }
            }
        }
    }

    /** Few keys that all writers put, while others come and go and the heap is compacted. */
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
    void values_thatAreReplacedAllTheTime_areSeenAsAWhole() throws Exception {
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
            while (System.nanoTime() < end || reads <= 100) {
                readWhole(cache, codec, random);
                reads++;
            }
        }
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

    private OffHeapCacheBuilder<String, String> strings() {
        return OffHeapCache.<String, String>builder()
                .keyCodec(Codec.strings())
                .valueCodec(Codec.strings())
                .pool(pool);
    }

    /** As many bytes for each key, of which the entry may be another one's in a moment. */
    private static String key(int number) {
        return number + "k".repeat(number * 37 % KEY_LENGTHS);
    }

    private static String value(int number, Random random) {
        int rest = KEY_LENGTHS + 100 - key(number).length();
        return number + "." + "v".repeat(rest + random.nextInt(20));
    }

    private static boolean isOf(int number, String value) {
        return value.startsWith(number + ".") && value.endsWith("v");
    }

    /** Entries go from key to key, and bytes of keys to where bytes of values were. */
    @Test
    void values_ofKeysThatAreAlwaysThere_areFoundAndAreTheirs() throws Exception {
        long seed = Long.getLong("polder.test.seed", System.nanoTime());
        for (int keys : new int[] {2, 5, 60}) {
            try (OffHeapCache<String, String> cache = strings().build()) {
                for (int number = 0; number < keys; number++) {
                    cache.put(key(number), value(number, new Random(seed)));
                }
                Random random = new Random(seed * 37);
                long end = System.nanoTime() + 1_000_000_000;
                try (Writers _ = new Writers(seed, each -> putSome(cache, each, keys))) {
                    while (System.nanoTime() < end) {
                        int number = random.nextInt(keys);
                        String seen = cache.getIfPresent(key(number));
                        assertThat(seen != null && isOf(number, seen))
                                .as("seed=%s, keys=%s, %s: %s", seed, keys, number, seen)
                                .isTrue();
                    }
                }
                CacheCheck.verify(cache.store());
            }
        }
    }

    private static void putSome(OffHeapCache<String, String> cache, Random random, int keys) {
        int number = random.nextInt(keys);
        String known = cache.getIfPresent(key(number));
        assertThat(known != null && isOf(number, known)).as("%s: %s", number, known).isTrue();
        switch (random.nextInt(8)) {
            case 0 -> {
                boolean _ = cache.asMap().replace(key(number), known, value(number, random));
            }
            case 1 -> assertThat(cache.asMap().put(key(number), value(number, random))).isNotNull();
            default -> cache.put(key(number), value(number, random));
        }
    }

    /** Hands read what is kept while it is written, and any number for the size of a key. */
    @Test
    void entries_thatAreEvictedAndExpireWhileOthersAreReplaced_areCounted() throws Exception {
        long seed = Long.getLong("polder.test.seed", System.nanoTime());
        int keys = 3000;
        try (OffHeapCache<String, String> cache =
                strings()
                        .maximumEntries(2 * keys / 3)
                        .expireAfterWrite(LIFETIME)
                        .ticker(clock::get)
                        .build()) {
            Random random = new Random(seed * 37);
            long end = System.nanoTime() + 3_000_000_000L;
            try (Writers _ = new Writers(seed, each -> change(cache, each, keys))) {
                while (System.nanoTime() < end || cache.stats().evictions() == 0) {
                    int number = random.nextInt(keys);
                    String seen = cache.getIfPresent(key(number));
                    assertThat(seen == null || isOf(number, seen)).as("seed=%s", seed).isTrue();
                    clock.addAndGet(random.nextInt(10) == 0 ? LIFETIME.toNanos() / 5000 : 0);
                    if (random.nextInt(10_000) == 0) {
                        cache.cleanUp();
                    }
                }
            }
            CacheCheck.verify(cache.store());
        }
    }

    private static void change(OffHeapCache<String, String> cache, Random random, int keys) {
        int number = random.nextInt(random.nextBoolean() ? keys : keys / 10);
        switch (random.nextInt(10)) {
            case 0 -> cache.invalidate(key(number));
            case 1 -> {
                Duration lifetime = LIFETIME.dividedBy(1 + random.nextInt(100));
                boolean _ = cache.policy().setExpiresIn(key(number), lifetime);
            }
            default -> cache.put(key(number), value(number, random));
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
            for (int attempt = 0; !done && attempt < ATTEMPTS; attempt++) {
                Long known = cache.getIfPresent(KEY);
                done = known != null && cache.asMap().replace(KEY, known, known + 1);
            }
            assertThat(done).as("replaced by attempt %s", ATTEMPTS).isTrue();
        }
    }
}
