package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.MemoryPool;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process that is killed while it writes a cache leaves the last whole file, or none. */
class KilledWriterTest extends CacheFixture {
    private static final int ENTRIES = 20_000;
    private static final long MARKER = -1;
    private static final int VALUE_BYTES = 400;

    /** It may write several files in this time, or be killed in the middle of its first one. */
    private static final int LIVES_MILLIS = 300;

    @TempDir private Path folder;
    @TempDir private Path outputs;

    private static OffHeapCache<Long, String> open(MemoryPool pool) {
        return OffHeapCache.<Long, String>builder()
                .keyCodec(Codec.longs())
                .valueCodec(Codec.strings())
                .pool(pool)
                .build();
    }

    /**
     * The process: writes a cache without end, and says which file is in its place. Its arguments
     * are the file, the number of the first round, and how many entries there are.
     */
    static final class Writer {
        private Writer() {}

        public static void main(String[] args) throws IOException {
            MemoryPool pool = MemoryPool.builder().name("killed").build();
            OffHeapCache<Long, String> cache = open(pool);
            for (long key = 0; key < Long.parseLong(args[2]); key++) {
                cache.put(key, "x".repeat(VALUE_BYTES));
            }
            System.out.println("begins");
            for (long round = Long.parseLong(args[1]); true; round++) {
                cache.put(MARKER, Long.toString(round));
                long _ = cache.writeTo(Path.of(args[0]));
                System.out.println(round);
            }
        }
    }

    /** Starts the process, and returns when it begins to write. */
    static Process start(Path path, long round, int entries, Path said) throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx128m",
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                classPath(),
                                Writer.class.getName(),
                                path.toString(),
                                Long.toString(round),
                                Integer.toString(entries))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .redirectOutput(said.toFile())
                        .start();
        awaitLines(process, said, 1);
        return process;
    }

    /** Waits until the process has said something. */
    static void awaitLines(Process process, Path said, int lines) throws Exception {
        while (linesOf(said).size() < lines) {
            assertThat(process.isAlive()).isTrue();
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    /** The whole lines that it has said. */
    private static List<String> linesOf(Path said) throws IOException {
        String lines = Files.readString(said);
        return lines.substring(0, lines.lastIndexOf('\n') + 1).lines().toList();
    }

    /** The rounds of which it said that their files are in their place. */
    private List<Long> writeUntilKilled(Path path, long round, long livesMillis) throws Exception {
        Path said = Files.createTempFile(outputs, "said", "");
        Process process = start(path, round, ENTRIES, said);
        try {
            TimeUnit.MILLISECONDS.sleep(livesMillis);
        } finally {
            process.destroyForcibly().waitFor();
        }
        return linesOf(said).stream().skip(1).map(Long::valueOf).toList();
    }

    /** Of a process with the cache and its tests. */
    static String classPath() throws Exception {
        List<String> places = new ArrayList<>();
        for (Class<?> each :
                List.of(MemoryPool.class, OffHeapCache.class, Writer.class, Nullable.class)) {
            places.add(
                    Path.of(each.getProtectionDomain().getCodeSource().getLocation().toURI())
                            .toString());
        }
        return String.join(java.io.File.pathSeparator, places);
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    /** The round of the file, which must be whole; -1 if there is none. */
    private long roundOf(Path path) throws IOException {
        if (!Files.exists(path)) {
            return -1;
        }
        try (OffHeapCache<Long, String> cache = open(pool)) {
            assertThat(cache.readFrom(path)).isEqualTo(ENTRIES + 1);
            assertThat(cache.getIfPresent(ENTRIES / 2L)).isEqualTo("x".repeat(VALUE_BYTES));
            String marker = cache.getIfPresent(MARKER);
            return marker == null ? -1 : Long.parseLong(marker);
        }
    }

    private void killAtRandom(int kills) throws Exception {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Path path = folder.resolve("cache");
        long known = -1;
        for (int kill = 0; kill < kills; kill++) {
            long livesMillis = random.nextInt(LIVES_MILLIS);
            String what = "seed=" + seed + " kill=" + kill + " livesMillis=" + livesMillis;
            List<Long> said = writeUntilKilled(path, known + 1, livesMillis);
            long whole = said.isEmpty() ? known : said.getLast();
            long found = roundOf(path);
            assertThat(found).as(what).isBetween(whole, whole + 1); // it said so, or not yet
            known = found;
            assertThat(files().size()).as(what).isLessThanOrEqualTo(kill + 2);
        }
        try (OffHeapCache<Long, String> cache = open(pool)) {
            assertThat(cache.writeTo(path)).isZero();
        }
        assertThat(files()).as("seed=%s", seed).containsExactly(path);
    }

    @Test
    void writeTo_inAProcessThatIsKilled_leavesAWholeFile() throws Exception {
        killAtRandom(3);
    }

    @Tag("full")
    @Test
    void writeTo_inProcessesThatAreKilled_leavesAWholeFile() throws Exception {
        killAtRandom(12);
    }

    @Test
    void writeTo_removesWhatWasLeft_andNothingElse() throws IOException {
        Path path = folder.resolve("cache");
        Path left = Files.createFile(folder.resolve(".polder-cache-1-2-123.tmp"));
        List<Path> others =
                List.of(
                        path,
                        Files.createFile(folder.resolve(".cache.tmp")),
                        Files.createFile(folder.resolve(".polder-cache-1-2-mine.tmp")),
                        Files.createDirectory(folder.resolve(".polder-cache-1-2-7.tmp")));
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.put(1L, "one");
            assertThat(cache.writeTo(path)).isEqualTo(1);
        }
        assertThat(files()).containsExactlyInAnyOrderElementsOf(others).doesNotContain(left);
    }
}
