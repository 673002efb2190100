package io.polder.lab.experiments.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.lab.harness.InputException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Which files a log consists of, and in which order. */
class LogPartsTest {
    @TempDir private Path directory;

    @Test
    void of_newestPart_findsTheOlderOnes() throws Exception {
        create("x.log", "x.log.0", "x.log.2.gz", "x.log.10", "y.log.0", "x.log.old", "x.logs.0");

        assertThat(parts("x.log")).containsExactly("x.log.0", "x.log.2.gz", "x.log.10", "x.log");
    }

    @Test
    void of_compressedNewestPart_findsTheOlderOnes() throws Exception {
        create("x.log.gz", "x.log.0.gz");

        assertThat(parts("x.log.gz")).containsExactly("x.log.0.gz", "x.log.gz");
    }

    @Test
    void of_partsInTheOrderOfAShell_areSorted() throws Exception {
        create("x.log", "x.log.0", "x.log.1");

        assertThat(parts("x.log", "x.log.0", "x.log.1"))
                .containsExactly("x.log.0", "x.log.1", "x.log");
    }

    @Test
    void of_olderPartAlone_isReadAlone() throws Exception {
        create("x.log", "x.log.0", "x.log.1");

        assertThat(parts("x.log.0")).containsExactly("x.log.0");
    }

    @Test
    void of_differentLogs_keepTheirOrder() throws Exception {
        create("b.log", "a.log", "a.log.0");

        assertThat(parts("b.log", "a.log", "b.log")).containsExactly("b.log", "a.log.0", "a.log");
    }

    @Test
    void of_whatCannotBeRead_isRefused() throws Exception {
        assertThatThrownBy(() -> parts("missing.log"))
                .isInstanceOf(InputException.class)
                .hasMessage(directory.resolve("missing.log") + ": there is no such file");
        Files.createDirectory(directory.resolve("d.log"));
        assertThatThrownBy(() -> parts("d.log"))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("d.log: expected a plain file");
    }

    private void create(String... names) throws IOException {
        for (String name : names) {
            Files.createFile(directory.resolve(name));
        }
    }

    private List<String> parts(String... names) throws InputException {
        return LogParts.of(Arrays.stream(names).map(directory::resolve).toList()).stream()
                .map(file -> directory.relativize(file).toString())
                .toList();
    }
}
