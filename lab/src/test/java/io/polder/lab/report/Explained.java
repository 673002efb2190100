package io.polder.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.tools.html.Chart;
import io.polder.tools.html.Term;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Whether page and terminal say what the rows, lines and curves of an experiment are. */
public final class Explained {
    private Explained() {}

    /** Fails unless each name in the charts is explained, and by the same words everywhere. */
    public static void check(ReportSection section) {
        List<Term> terms =
                section.charts().stream().map(Chart::terms).flatMap(List::stream).toList();
        assertThat(terms).isNotEmpty().allMatch(Term::isExplained);
        Map<String, String> words = new HashMap<>();
        for (Term term : terms) {
            String known = words.put(term.name(), term.words());
            assertThat(known == null || known.equals(term.words())).as(term.name()).isTrue();
            assertThat(term.words()).endsWith(".").doesNotContain("%d", "%s");
        }
    }

    /** Fails unless a terminal shows these words below the tables, in lines that fit it. */
    public static void checkText(ReportSection section, String tables, String... words) {
        String legend = Legend.of(new Report(List.of(), tables, List.of(), section));
        assertThat(legend).contains(words).matches("\\p{ASCII}*");
        assertThat(legend.lines())
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(Report.WIDTH));
    }
}
