package io.polder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What is for programs: JSON, exit codes, and what stays of a run that failed. */
class LabResultTest extends LabFixture {
    @Test
    void json_hasTheAgreedKeys(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.json");

        assertThat(polder("lab", "one", "--seed", "7", "--json=" + file)).isZero();

        JsonNode json = new ObjectMapper().readTree(Files.readString(file));
        assertThat(json.fieldNames())
                .toIterable()
                .containsExactly(
                        "lab", "seed", "environment", "busy", "warnings", "metrics", "goals");
        assertThat(json.get("lab").asText()).isEqualTo("one");
        assertThat(json.get("seed").asLong()).isEqualTo(7);
        assertThat(json.get("environment").fieldNames())
                .toIterable()
                .containsExactly(
                        "date",
                        "commit",
                        "jvm",
                        "jvm_args",
                        "cpu",
                        "cores",
                        "kernel",
                        "transparent_huge_pages");
        assertThat(json.get("environment").get("jvm_args").get(0).asText()).isEqualTo("-Done");
        assertThat(json.get("metrics")).hasSize(2);
        JsonNode metric = json.get("metrics").get(0);
        assertThat(metric.fieldNames())
                .toIterable()
                .containsExactly("name", "value", "unit", "better", "quartiles", "busy");
        assertThat(metric.get("name").asText()).isEqualTo("one.speedup");
        assertThat(metric.get("value").asDouble()).isEqualTo(2.5);
        assertThat(metric.get("unit").asText()).isEqualTo("x");
        assertThat(metric.get("better").asText()).isEqualTo("higher");
        assertThat(metric.get("quartiles").toString()).isEqualTo("[2.0,3.5]");
        assertThat(metric.get("busy").asBoolean()).isFalse();
        assertThat(json.get("metrics").get(1).get("better").asText()).isEqualTo("lower");
        assertThat(json.get("metrics").get(1).has("quartiles")).isFalse();
        assertThat(json.get("busy").asBoolean()).isFalse();
        assertThat(json.get("warnings")).isEmpty();
        assertThat(json.get("goals")).hasSize(2);
        JsonNode goal = json.get("goals").get(0);
        assertThat(goal.fieldNames())
                .toIterable()
                .containsExactly("what", "target", "measured", "reached", "busy");
        assertThat(goal.get("what").asText()).isEqualTo("speed");
        assertThat(goal.get("target").asText()).isEqualTo(">= 3.0x");
        assertThat(goal.get("reached").asBoolean()).isFalse();
    }

    @Test
    void all_stopsAtAFailureAndKeepsWhatHasEnded(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.json");
        Path page = directory.resolve("x.html");

        assertThat(polder("lab", "all", "--json=" + file, "--html", page.toString())).isEqualTo(1);

        assertThat(out.toString()).contains("table of one").contains("table of two");
        assertThat(out.toString())
                .contains(
                        "Metrics of one, two written to " + file,
                        "Page of one, two written to " + page);
        assertThat(err.toString()).isEqualToIgnoringNewLines("broken cannot be measured here");
        assertThat(new ObjectMapper().readTree(Files.readString(file)).get("metrics")).hasSize(4);
        assertThat(Files.readString(page)).contains("table of one", "table of two");
    }

    @Test
    void all_whoseExperimentBreaks_hasWrittenThoseBefore(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.json");
        Experiments broken = new Experiments(List.of(new Fake("one"), new Fake("bug")));

        assertThat(command(broken).execute("lab", "all", "--json=" + file)).isNotZero();

        assertThat(Files.readString(file)).contains("one.speedup");
    }

    @Test
    void json_withoutFile_isAllThatIsPrinted() throws Exception {
        assertThat(polder("lab", "--json", "one")).isZero();
        JsonNode json = new ObjectMapper().readTree(out.toString());
        assertThat(json.get("lab").asText()).isEqualTo("one");
        assertThat(json.get("metrics")).hasSize(2);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void fileThatCannotBeWritten_hasItsOwnExitCode() {
        for (String option : List.of("--json=/dev/full", "--html=/dev/full")) {
            assertThat(polder("lab", "one", option)).isEqualTo(5);
        }
        assertThat(err.toString()).contains("/dev/full could not be written: ").hasLineCount(2);
    }

    /** What took minutes is not lost with a page. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void json_whereThePageCannotBeWritten_isPrinted() throws Exception {
        assertThat(polder("lab", "--json", "one", "two", "--html=/dev/full")).isEqualTo(5);
        assertThat(new ObjectMapper().readTree(out.toString()).get("metrics")).hasSize(2);
        assertThat(err.toString()).contains("/dev/full could not be written: ").hasLineCount(1);
    }

    @Test
    void one_thatFails_writesNothing(@TempDir Path directory) {
        Path file = directory.resolve("x.json");

        assertThat(polder("lab", "broken", "--json=" + file)).isEqualTo(1);

        assertThat(file).doesNotExist();
        assertThat(out.toString()).doesNotContain("written");
    }

    @Test
    void all_mergesMetrics(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.json");
        Experiments sound = new Experiments(List.of(new Fake("one"), new Fake("two")));

        assertThat(command(sound).execute("lab", "all", "--json=" + file)).isZero();

        JsonNode json = new ObjectMapper().readTree(Files.readString(file));
        assertThat(json.get("lab").asText()).isEqualTo("all");
        assertThat(json.get("metrics").findValuesAsText("name"))
                .containsExactly("one.speedup", "one.ns", "two.speedup", "two.ns");
        assertThat(json.get("environment").get("jvm_args")).hasSize(2);
    }
}
