package io.polder.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The first put of a program sets nothing in motion that it has no use for. */
class FirstPutTest {
    @TempDir private Path folder;

    /** The program. */
    static final class Program {
        private Program() {}

        public static void main(String[] args) {
            OffHeapCache.<Long, String>builder()
                    .keyCodec(Codec.longs())
                    .valueCodec(Codec.strings())
                    .build()
                    .put(1L, "one");
        }
    }

    /** Loggers, providers of random numbers and sorted streams take some 30 ms when first used. */
    @Test
    void firstPut_loadsNoLoggersProvidersAndStreams() throws Exception {
        assertThat(classesLoaded())
                .contains(OffHeapCache.class.getName() + " ")
                .doesNotContain(
                        "jdk.internal.logger.LoggerFinderLoader ",
                        "java.security.SecureRandom ",
                        "java.util.stream.SortedOps ");
    }

    private String classesLoaded() throws Exception {
        Path log = folder.resolve("classes.log");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-Xlog:class+load:file=" + log,
                                "-cp",
                                KilledWriterTest.classPath(),
                                Program.class.getName())
                        .inheritIO()
                        .start();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        return Files.readString(log);
    }
}
