package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** What operations leave that are cut short by the end of the stack: it is in nobody's way. */
@Timeout(400)
class StackEndTest {
    /** A program in a JVM that inlines as others do: where a stack ends depends on that. */
    static final class Program {
        private static final long STACK_BYTES = 256 << 10;

        /** From the end of the stack upwards: so many calls in a row that are not cut short. */
        private static final int FRAMES = 100;

        /** Often: where a stack ends depends on what is compiled. */
        private static final int ROUNDS = 60;

        private static final long KEYS = 1_000_000;

        private Program() {}

        public static void main(String[] args) throws InterruptedException {
            ConcurrentLinkedQueue<Long> told = new ConcurrentLinkedQueue<>();
            try (OffHeapCache<Long, String> cache =
                    OffHeapCache.<Long, String>builder()
                            .keyCodec(Codec.longs())
                            .valueCodec(Codec.strings())
                            .executor(Runnable::run)
                            .removalListener((key, _, _) -> told.add(key))
                            .build()) {
                long computed = 0;
                long silent = 0;
                long uncounted = 0;
                for (int round = 0; round < ROUNDS; round++) {
                    long first = round * KEYS;
                    AtomicLong keys = new AtomicLong(first);
                    doFromTheEnd(
                            round,
                            () -> use(cache, keys.getAndIncrement()),
                            () -> {
                                told.clear();
                                cache.put(-1L, "one");
                                cache.put(-1L, "other");
                            });
                    silent += told.contains(-1L) ? 0 : 1;
                    computed += computed(cache, first / 2, keys.get() / 2);
                    computed += computed(cache, first, keys.get());
                    Store store = cache.store();
                    String loaded = cache.get(-2L - round, _ -> "" + store.computations.isEmpty());
                    uncounted += "true".equals(loaded) ? 1 : 0;
                }
                System.out.println("keys that somebody computes for ever: " + computed);
                System.out.println("threads that tell nothing more: " + silent);
                System.out.println("computations that nobody waits for: " + uncounted);
            }
        }

        /** With half of the keys there, and half of them not. */
        private static void use(OffHeapCache<Long, String> cache, long key) {
            if (key % 4 < 2) {
                String _ = cache.asMap().compute(key / 2, (_, old) -> old + " computed");
            } else {
                String _ = cache.get(key, _ -> "loaded");
            }
        }

        /** How many of some keys somebody seems to compute. */
        private static long computed(OffHeapCache<Long, String> cache, long from, long to) {
            return LongStream.range(from, to).filter(key -> isComputed(cache, key)).count();
        }

        private static boolean isComputed(OffHeapCache<Long, String> cache, long key) {
            Store store = cache.store();
            Scratch scratch = store.scratches.take();
            try {
                scratch.setKey(cache.policy().keyBytes(key));
                store.entries.setHash(scratch);
                return store.computations.find(scratch, null) != null;
            } finally {
                store.scratches.give(scratch);
            }
        }

        /** In a thread that does something else afterwards. */
        private static void doFromTheEnd(int shift, Runnable operation, Runnable afterwards)
                throws InterruptedException {
            Thread deep =
                    new Thread(
                            null,
                            () -> {
                                int _ = shifted(shift, 0, 0, operation);
                                afterwards.run();
                            },
                            "deep",
                            STACK_BYTES);
            deep.start();
            deep.join();
        }

        /** With so many other frames, so that the stack does not always end at the same place. */
        private static int shifted(int shift, long a, long b, Runnable operation) {
            return shift > 0 ? shifted(shift - 1, a + 1, b, operation) : fromTheEnd(operation);
        }

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
    }

    /** A program that uses its first logger near the end of a stack, as a cache has to. */
    static final class LoggingProgram {
        private LoggingProgram() {}

        public static void main(String[] args) throws InterruptedException {
            try (OffHeapCache<Long, String> cache =
                    OffHeapCache.<Long, String>builder()
                            .keyCodec(Codec.longs())
                            .valueCodec(Codec.strings())
                            .executor(Runnable::run)
                            .removalListener(
                                    (_, _, _) -> {
                                        throw new StackOverflowError("by the test");
                                    })
                            .build()) {
                cache.put(1L, "one");
                Program.doFromTheEnd(0, () -> cache.put(1L, "other"), () -> {});
            }
            System.getLogger("io.polder.cache").log(System.Logger.Level.INFO, "logged");
            System.out.println("logged");
        }
    }

    private static Stream<String> said(Class<?> program) throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:+UseSerialGC",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                KilledWriterTest.classPath(),
                                program.getName())
                        .redirectError(ProcessBuilder.Redirect.DISCARD) // the log has much
                        .start();
        CompletableFuture.delayedExecutor(300, TimeUnit.SECONDS) // else it could be read for ever
                .execute(process::destroyForcibly);
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        return said.lines();
    }

    @Test
    void computations_thatAreCutShort_leaveNothingInTheWay() throws Exception {
        assertThat(said(Program.class))
                .containsExactly(
                        "keys that somebody computes for ever: 0",
                        "threads that tell nothing more: 0",
                        "computations that nobody waits for: 0");
    }

    @Test
    void listener_cutShort_leavesTheLogWhole() throws Exception {
        assertThat(said(LoggingProgram.class)).containsExactly("logged");
    }
}
