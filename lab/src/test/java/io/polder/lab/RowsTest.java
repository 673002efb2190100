package io.polder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.harness.About;
import io.polder.lab.harness.Experiment;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/** Rows of all experiments are explained, and where more is said of them there is something. */
class RowsTest {
    private static final Path TESTS = Path.of("src/test/java/io/polder/lab/experiments");

    @Test
    void anchor_ofEachExperiment_isAHeadingOfTheDocument() throws IOException {
        List<String> anchors =
                Files.readAllLines(repository().resolve(About.DOCUMENT)).stream()
                        .filter(line -> line.startsWith("## "))
                        .map(RowsTest::anchor)
                        .toList();
        for (Experiment experiment : Experiments.ALL.experiments()) {
            About about = experiment.about();
            assertThat(anchors).contains(about.anchor());
            assertThat(about.anchor()).startsWith(about.name() + "-");
            assertThat(about.more()).startsWith("docs/lab.md#" + about.anchor());
        }
    }

    /** As sites that show Markdown make it of a heading. */
    private static String anchor(String heading) {
        return heading.substring(3)
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9 -]", "")
                .replace(' ', '-');
    }

    /** What a section shows is made up by the tests of its experiment, which look at it. */
    @Test
    void rows_ofEachExperiment_areLookedAtByItsTests() throws IOException {
        for (Experiment experiment : Experiments.ALL.experiments()) {
            try (Stream<Path> files = Files.list(TESTS.resolve(experiment.name()))) {
                List<Path> tests = files.filter(RowsTest::looksAtRows).toList();
                assertThat(tests).as(experiment.name()).isNotEmpty();
            }
        }
    }

    private static boolean looksAtRows(Path test) {
        try {
            return Files.readString(test).contains("Explained.check(section);");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Path repository() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve(About.DOCUMENT))) {
            folder = Objects.requireNonNull(folder.getParent(), "no checkout");
        }
        return folder;
    }
}
