package io.polder.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.tools.html.Chart;
import io.polder.tools.html.Term;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Whether a page says what the rows, lines and curves of an experiment are. */
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
}
