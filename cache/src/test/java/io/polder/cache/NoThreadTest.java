package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A process in which no thread can be started any more, as in a container with too few. */
@EnabledOnOs(OS.LINUX)
class NoThreadTest {
    private static final long MIB = 1 << 20;
    private static final int RLIMIT_AS = 9;

    /** What is in use is less than the pages that have it. */
    private static final long PAGES = 4 * MIB;

    /** The JVM and a pool may still map that much, and no thread has a stack so small. */
    private static final long ROOM_BYTES = 700 * MIB;

    private static final String STACK = "-Xss1g";

    @TempDir private Path folder;

    /** The process. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) throws Throwable {
            try (OffHeapCache<Long, String> cache =
                    OffHeapCache.<Long, String>builder()
                            .keyCodec(Codec.longs())
                            .valueCodec(Codec.strings())
                            .maximumBytes(64 * MIB)
                            .build()) {
                fill(cache);
                leaveNoThread();
                for (long bytes = 48 * MIB; bytes >= 16 * MIB; bytes -= 16 * MIB) {
                    cache.policy().setMaximumBytes(bytes);
                    boolean within = cache.stats().heldBytes() <= bytes + PAGES;
                    System.out.println(within ? "within" : "beyond");
                }
                cache.invalidateAll();
                cache.cleanUp();
                System.out.println(cache.stats().heldBytes() <= 8 * MIB ? "given back" : "kept");
            }
        }

        private static void fill(OffHeapCache<Long, String> cache) {
            for (long key = 0; key < 200_000; key++) {
                cache.put(key, "x".repeat((int) (key % 1000)));
            }
        }

        private static void leaveNoThread() throws Throwable {
            lower();
            try {
                Thread.ofPlatform().start(() -> {});
                System.out.println("there are threads");
            } catch (OutOfMemoryError expected) {
                System.out.println("no thread");
            }
        }

        @SuppressWarnings("restricted")
        private static void lower() throws Throwable {
            MemorySegment limit = Arena.global().allocate(16, 8);
            limit.set(ValueLayout.JAVA_LONG, 0, mappedBytes() + ROOM_BYTES);
            limit.set(ValueLayout.JAVA_LONG, 8, -1);
            int result =
                    (int)
                            Linker.nativeLinker()
                                    .downcallHandle(
                                            Linker.nativeLinker()
                                                    .defaultLookup()
                                                    .findOrThrow("setrlimit"),
                                            FunctionDescriptor.of(
                                                    ValueLayout.JAVA_INT,
                                                    ValueLayout.JAVA_INT,
                                                    ValueLayout.ADDRESS))
                                    .invokeExact(RLIMIT_AS, limit);
            if (result != 0) {
                throw new IllegalStateException("a limit must be set");
            }
        }

        private static long mappedBytes() throws IOException {
            String line =
                    Files.readAllLines(Path.of("/proc/self/status")).stream()
                            .filter(each -> each.startsWith("VmSize:"))
                            .findFirst()
                            .orElseThrow();
            return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
        }
    }

    @Test
    void setMaximumBytes_noThreadToCompactIn_isDoneHere() throws Exception {
        Path said = folder.resolve("said");
        ProcessBuilder builder =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx128m",
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                STACK,
                                "-Xlog:os+thread=off",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                KilledWriterTest.classPath(),
                                Program.class.getName())
                        .redirectErrorStream(true)
                        .redirectOutput(said.toFile());
        // With one of these a JVM says so where the program is to speak.
        builder.environment().keySet().removeIf(each -> each.endsWith("_OPTIONS"));
        Process process = builder.start();
        try {
            assertThat(process.waitFor(200, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(said).content().isEqualTo("no thread\nwithin\nwithin\nwithin\ngiven back\n");
        assertThat(process.exitValue()).isZero();
    }
}
