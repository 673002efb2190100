package io.polder.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the page of the module says is so. */
class ReadmeTest {
    private static final Path PAGE = Path.of("README.md");

    private static final Pattern PROGRAM_AND_OUTPUT =
            Pattern.compile(
                    "^```java\\n(?<program>[^`]*)^```$[^`]*^```text\\n(?<output>[^`]*)^```$",
                    Pattern.DOTALL | Pattern.MULTILINE);

    @Test
    void program_compiledAndRun_printsWhatThePageShows(@TempDir Path directory) throws Exception {
        Matcher matcher = PROGRAM_AND_OUTPUT.matcher(Files.readString(PAGE));
        assertThat(matcher.find()).isTrue();
        Path program = directory.resolve("Meters.java");
        Files.writeString(program, matcher.group("program"));
        Path err = directory.resolve("err");
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                System.getProperty("java.class.path"),
                                program.toString())
                        .redirectError(err.toFile())
                        .start();
        CompletableFuture.delayedExecutor(300, TimeUnit.SECONDS) // else it could be read for ever
                .execute(process::destroyForcibly);
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).describedAs(Files.readString(err)).isZero();
        assertThat(out).isEqualTo(matcher.group("output"));
    }

    /** The table has each meter, and no other. */
    @Test
    void table_ofMeters_hasThemAll() throws IOException {
        Set<String> said = new TreeSet<>();
        for (String line : Files.readAllLines(PAGE)) {
            if (line.startsWith("| `polder.")) {
                Matcher name = Pattern.compile("`([a-z.]+)`").matcher(line.split("\\|", -1)[1]);
                String family = "";
                while (name.find()) {
                    if (name.group(1).startsWith(".")) {
                        said.add(family + name.group(1));
                    } else {
                        said.add(name.group(1));
                        family = family(name.group(1));
                    }
                }
            }
        }
        MeterRegistry registry = new SimpleMeterRegistry();
        try (BusyPool _ = new BusyPool("in the table");
                OffHeapCache<Long, String> cache =
                        OffHeapCache.<Long, String>builder()
                                .keyCodec(Codec.longs())
                                .valueCodec(Codec.strings())
                                .maximumBytes(16 << 20)
                                .build();
                PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            new OffHeapCacheMetrics(cache, "in the table").bindTo(registry);
            assertThat(said)
                    .isEqualTo(
                            registry.getMeters().stream()
                                    .map(each -> each.getId().getName())
                                    .collect(Collectors.toCollection(TreeSet::new)));
        }
    }

    /** {@code polder.memory} of {@code polder.memory.used}, and {@code polder.leaks} of itself. */
    private static String family(String name) {
        int second = name.indexOf('.', name.indexOf('.') + 1);
        return second < 0 ? name : name.substring(0, second);
    }
}
