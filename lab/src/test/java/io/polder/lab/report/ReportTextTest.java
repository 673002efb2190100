package io.polder.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.harness.Quartiles;
import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Term;
import io.polder.tools.html.Tone;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.Stream;

/** What a terminal shows of a report. */
class ReportTextTest {
    private static final String MORE = "docs/lab.md#it";

    private static Report report(String tables, Term... terms) {
        List<Bar> bars =
                Stream.of(terms)
                        .map(term -> Charts.bar(term, Term.NONE, Tone.OURS, new Quartiles(1, 2, 3)))
                        .toList();
        Goal goal = new Goal("speed", ">= 3.0x", "2.5x", false);
        return new Report(
                List.of(),
                tables,
                List.of(),
                new ReportSection("", List.of(goal), List.of(Charts.ratios("Bars", bars))),
                List.of("Busy machine."),
                true);
    }

    private static final String TABLES =
            """
            gate            ns   quartiles
            -------------  ---  ----------
            slot           1.0  0.9 -  1.1
            striped        2.0  0.9 -  1.1
            single / slot  3.0  0.9 -  1.1
            3 x 5 B        4.0  0.9 -  1.1
            """;

    @Test
    void of_rowsThatAreNames_areExplainedBelowTheTables() {
        Term slot = new Term("slot", "A thread\u2019s own counter.");
        String text =
                ReportText.of(
                        report(
                                TABLES,
                                slot,
                                slot,
                                new Term("single", "One counter."),
                                new Term("strip", "No row."),
                                new Term("3 x 5 B", "Three of five bytes."),
                                Term.of("striped")),
                        true,
                        MORE);
        assertThat(text)
                .isEqualTo(
                        "Busy machine.\n\n"
                                + TABLES
                                + """

                                slot    A thread's own counter.
                                single  One counter.
                                More: docs/lab.md#it

                                """
                                + Goal.table(List.of(new Goal("speed", ">= 3.0x", "2.5x", false)))
                                + "\nBusy machine.\n");
    }

    @Test
    void of_manyWords_goOnBelowThem() {
        Term term = new Term("slot", "word ".repeat(40).strip() + ".");
        String text = ReportText.of(report(TABLES, term), false, MORE);
        assertThat(text.lines().filter(line -> line.contains("word")))
                .hasSize(3)
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(Report.WIDTH))
                .element(1)
                .asString()
                .startsWith("      word word");
        assertThat(text).endsWith("word.\nMore: docs/lab.md#it\n\nBusy machine.\n");
    }

    @Test
    void of_nothingToExplain_saysWhereMoreIs() {
        assertThat(ReportText.of(report("one line", new Term("other", "No row.")), false, MORE))
                .isEqualTo("Busy machine.\n\none line\n\nMore: docs/lab.md#it\n\nBusy machine.\n");
    }
}
