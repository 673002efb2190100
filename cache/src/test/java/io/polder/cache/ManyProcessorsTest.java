package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** The smallest cache keeps what is put, however many processors there are, or seem to be. */
class ManyProcessorsTest {
    private static final int THREADS = 16;

    /** Of keys and values: a fourth of what the smallest cache may have. */
    private static final int BYTES = 4 << 20;

    /** A program: fills a cache with several threads, and prints how much it has refused. */
    static final class Filler {
        private Filler() {}

        public static void main(String[] args) throws InterruptedException {
            long seed = Long.parseLong(args[0]);
            int bytes = 20 + new SplittableRandom(seed).nextInt(2000);
            int keys = BYTES / (bytes + 50);
            try (OffHeapCache<Long, byte[]> cache =
                    OffHeapCache.<Long, byte[]>builder()
                            .keyCodec(Codec.longs())
                            .valueCodec(Codec.bytes())
                            .maximumBytes(OffHeapCacheBuilder.MAXIMUM_BYTES_MIN)
                            .build()) {
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    SplittableRandom random = new SplittableRandom(seed + i);
                    threads.add(
                            Thread.ofPlatform()
                                    .start(
                                            () -> {
                                                for (int j = 0; j < keys; j++) {
                                                    long key = random.nextInt(keys);
                                                    cache.put(key, new byte[bytes]);
                                                }
                                            }));
                }
                for (Thread thread : threads) {
                    thread.join();
                }
                CacheStats stats = cache.stats();
                long put = (long) THREADS * keys;
                System.out.println(stats.entries() * 100 / keys);
                System.out.println(stats.refusedPuts() * 100 / put);
            }
        }
    }

    /** A few may be refused on a busy machine, where compaction gets no processor. */
    @Test
    void smallestCache_withManyThreads_keepsWhatIsPut() throws Exception {
        long seed = Long.getLong("polder.test.seed", System.nanoTime());
        List<String> said = run(seed).lines().toList();
        assertThat(Integer.parseInt(said.get(0)))
                .as("%% of entries, seed=%d", seed)
                .isGreaterThan(90);
        assertThat(Integer.parseInt(said.get(1))).as("%% refused, seed=%d", seed).isLessThan(10);
    }

    private static String run(long seed) throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:ActiveProcessorCount=" + THREADS,
                                "-Xmx128m",
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                KilledWriterTest.classPath(),
                                Filler.class.getName(),
                                Long.toString(seed))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        CompletableFuture.delayedExecutor(300, TimeUnit.SECONDS) // else it could be read for ever
                .execute(process::destroyForcibly);
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return said;
    }
}
