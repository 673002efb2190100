package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Several write to one path at the same time: each succeeds, and a whole file is there. */
class WritersOfOneFileTest extends CacheFixture {
    private static final int ENTRIES = 10;
    private static final int THREADS = 4;
    private static final int WRITES = 150;
    private static final int READS = 10_000;

    @TempDir private Path folder;
    @TempDir private Path outputs;

    private OffHeapCache<Long, String> filled() {
        OffHeapCache<Long, String> cache = longs().build();
        for (long key = 0; key < ENTRIES; key++) {
            cache.put(key, "x");
        }
        return cache;
    }

    private static void write(OffHeapCache<Long, String> cache, Path path) throws IOException {
        for (int i = 0; i < WRITES; i++) {
            assertThat(cache.writeTo(path)).isEqualTo(ENTRIES);
        }
    }

    private void assertOnly(Path path) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(path);
        }
    }

    @Test
    void threads_thatWriteToOnePath_allSucceed() throws Exception {
        Path path = folder.resolve("cache");
        try (OffHeapCache<Long, String> cache = filled()) {
            List<FutureTask<?>> writers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                FutureTask<?> writer =
                        new FutureTask<>(
                                () -> {
                                    write(cache, path);
                                    return null;
                                });
                Thread _ = Thread.ofPlatform().start(writer);
                writers.add(writer);
            }
            for (FutureTask<?> writer : writers) {
                var _ = writer.get();
            }
            assertThat(cache.readFrom(path)).isEqualTo(ENTRIES);
        }
        assertOnly(path);
    }

    @Test
    void processes_thatWriteToOnePath_allSucceed() throws Exception {
        Path path = folder.resolve("cache");
        Path said = Files.createTempFile(outputs, "said", "");
        Process other = KilledWriterTest.start(path, 0, ENTRIES - 1, said);
        try (OffHeapCache<Long, String> cache = filled()) {
            write(cache, path);
            KilledWriterTest.awaitLines(other, said, 2 * WRITES); // it did not fail either
            other.destroyForcibly().waitFor();
            assertThat(cache.readFrom(path)).isEqualTo(ENTRIES);
            assertThat(cache.writeTo(path)).isGreaterThanOrEqualTo(ENTRIES);
        } finally {
            other.destroyForcibly().waitFor();
        }
        assertOnly(path);
    }

    @Test
    void file_beingWritten_isLeftAloneByOthers() throws Exception {
        Path path = folder.resolve("cache");
        Path said = Files.createTempFile(outputs, "said", "");
        try (NewFile slow = NewFile.at(path)) {
            NewFile.at(path).close(); // another thread, which looks for what was left
            Process other = KilledWriterTest.start(path, 0, ENTRIES, said);
            try {
                KilledWriterTest.awaitLines(other, said, 2);
            } finally {
                other.destroyForcibly().waitFor();
            }
            slow.content().write("whole".getBytes(StandardCharsets.UTF_8));
            slow.complete();
        }
        assertThat(path).hasContent("whole");
    }

    /** So it is a whole one that is read, whichever. */
    @Test
    void readFrom_whileALargeFileAndASmallOneTakeTurns_readsEither() throws Exception {
        Path path = folder.resolve("cache");
        Path large = outputs.resolve("large");
        Path small = outputs.resolve("small");
        try (OffHeapCache<Long, String> cache = longs().build()) {
            cache.writeTo(small);
            cache.put(1L, "x".repeat(1000));
            cache.writeTo(large);
            cache.writeTo(path);
            AtomicBoolean ends = new AtomicBoolean();
            FutureTask<?> writer =
                    new FutureTask<>(
                            () -> {
                                Path next = outputs.resolve("next");
                                for (int i = 0; !ends.get(); i++) {
                                    Files.copy(i % 2 == 0 ? small : large, next);
                                    Files.move(next, path, StandardCopyOption.ATOMIC_MOVE);
                                }
                                return null;
                            });
            Thread _ = Thread.ofPlatform().start(writer);
            try {
                for (int i = 0; i < READS; i++) {
                    assertThat(cache.readFrom(path)).isBetween(0L, 1L);
                }
            } finally {
                ends.set(true);
            }
            var _ = writer.get();
        }
    }
}
