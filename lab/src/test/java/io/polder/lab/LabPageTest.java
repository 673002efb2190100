package io.polder.lab;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.polder.lab.harness.MachineLoad;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What is for people: pages, goals, warnings. */
class LabPageTest extends LabFixture {
    @Test
    void html_tellsResultEnvironmentAndHowToRepeat(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.html");

        assertThat(lab("one", "--quick", "--goals", "--seed", "7", "--html", file.toString()))
                .isZero();

        assertThat(out.toString()).contains("Page written to " + file);
        String html = Files.readString(file);
        assertThat(html)
                .contains("<h1>One is 2.5 times as fast.</h1>")
                .contains("<li>1 of 2 goals reached</li>", "<li>quick run</li>")
                .contains("What one costs.")
                .contains(">≥ 3.0×</td>", ">12 µs</td>")
                .contains("<span class=\"missed\">missed</span>")
                .contains("<th scope=\"row\">one.speedup</th>", "table of one")
                .contains("<dt>Seed</dt><dd>7</dd>", "<dd>-Done</dd>")
                .contains("./polder lab one --quick --goals --seed 7 --html " + file);
    }

    @Test
    void html_withoutGoals_doesNotJudge(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.html");

        assertThat(polder("lab", "one", "--html", file.toString())).isZero();

        String html = Files.readString(file);
        String body = html.substring(html.indexOf("<main"), html.indexOf("</main>"));
        assertThat(body)
                .contains("What one costs.", "table of one")
                .doesNotContainIgnoringCase("goal", "missed", "reached", "≥ 3.0×");
    }

    @Test
    void goals_arePrintedOnlyWhenAskedFor() {
        assertThat(polder("lab", "one")).isZero();
        assertThat(out.toString()).doesNotContain("goal", "missed", "reached");

        assertThat(polder("lab", "one", "--goals")).isZero();
        assertThat(out.toString().lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "goal measured",
                        "speed >= 3.0x 2.5x missed",
                        "time <= 20 us 12 us reached");
    }

    @Test
    void html_ofAFileThatMeansMoreToAShell_quotesIt(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("it's $HOME.html");

        assertThat(polder("lab", "one", "--seed", "7", "--html", file.toString())).isZero();

        String quoted = "'" + directory + "/it'\\''s $HOME.html'";
        assertThat(Files.readString(file))
                .contains("./polder lab one --seed 7 --html " + quoted.replace("'", "&#39;"));
    }

    @Test
    void html_ofAll_hasASectionForEach(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.html");
        Experiments sound = new Experiments(List.of(new Fake("one"), new Fake("two")));

        assertThat(command(sound).execute("lab", "all", "--goals", "--html", file.toString()))
                .isZero();

        assertThat(Files.readString(file))
                .contains("<h1>Polder reached 2 of 4 goals on this machine.</h1>")
                .contains("<a href=\"#one\">One</a>", "<a href=\"#two\">Two</a>")
                .contains("<p>One is 2.5 times as fast.</p>", "<p>Two is 2.5 times as fast.</p>")
                .contains("<section id=\"one\"", "<section id=\"two\"")
                .contains("1 of 2 reached");
    }

    @Test
    void busyMachine_isSaidWhereFiguresAreRead(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("x.json");
        Path page = directory.resolve("x.html");
        // Of 100 ticks others had 40, later none.
        loads.addAll(List.of(new MachineLoad(0, 0, 0), new MachineLoad(100, 60, 20)));
        loads.addAll(List.of(new MachineLoad(100, 60, 20), new MachineLoad(200, 90, 50)));
        Experiments sound = new Experiments(List.of(new Fake("one"), new Fake("two")));

        assertThat(
                        command(sound)
                                .execute("lab", "all", "--json=" + file, "--html", page.toString()))
                .isZero();

        String warning =
                "Busy machine: other programs had 40 % of the processors. Measure again when it is"
                        + " idle.";
        assertThat(out.toString().lines())
                .containsSubsequence(warning, "table of one", warning, "table of two")
                .filteredOn(warning::equals)
                .hasSize(2);
        assertThat(Files.readString(page)).contains("<li>busy machine</li>", "<p>" + warning);
        JsonNode json = new ObjectMapper().readTree(Files.readString(file));
        assertThat(json.get("busy").asBoolean()).isTrue();
        assertThat(json.get("warnings").get(0).asText()).isEqualTo(warning);
        assertThat(json.get("metrics").findValuesAsText("busy"))
                .containsExactly("true", "true", "false", "false");
        assertThat(json.get("goals").findValuesAsText("busy"))
                .containsExactly("true", "true", "false", "false");
    }
}
