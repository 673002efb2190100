package io.polder.tools.html;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How the {@linkplain Term names} in the charts of one section are explained: below the first chart
 * that has one, and by a link to that place from the others.
 *
 * <p>Written for one section, chart by chart; not thread-safe.
 */
final class TermsMarkup {
    private final String section;
    private final String more;

    /** Where a name is explained, by the name and its words. */
    private final Map<Term, String> places = new LinkedHashMap<>();

    /**
     * Nothing is explained yet.
     *
     * @param section the id of the section
     * @param more where more is said, in words; may be empty
     */
    TermsMarkup(String section, String more) {
        this.section = section;
        this.more = more;
    }

    /** Gives each name of a chart a place, before the chart is written: it may link to that. */
    List<Term> begin(Chart chart) {
        List<Term> added = new ArrayList<>();
        for (Term term : chart.terms()) {
            if (term.isExplained() && !places.containsKey(term)) {
                places.put(term, section + "-term-" + (places.size() + 1));
                added.add(term);
            }
        }
        return added;
    }

    /** Writes a name, with a link to what explains it, if something does. */
    void write(Markup out, Term term) {
        String place = places.get(term);
        if (place == null) {
            out.text(term.name());
        } else {
            out.element("a", term.name(), "href", "#" + place, "title", term.words());
        }
    }

    /**
     * Explains the names that a chart is the first to have, and links to the others that are drawn
     * without a link.
     *
     * @param added what {@link #begin} returned
     */
    void end(Markup out, Chart chart, List<Term> added) {
        if (!added.isEmpty()) {
            boolean first = places.size() == added.size();
            out.open("dl", "class", "terms");
            for (Term term : added) {
                out.element("dt", term.name(), "id", place(term)).element("dd", term.words());
            }
            out.close();
            if (first && !more.isEmpty()) {
                out.element("p", "More: " + more, "class", "more");
            }
        }
        List<Term> before = chart.terms().stream().filter(Term::isExplained).toList();
        if (!(chart instanceof Bars) && before.size() > added.size()) {
            out.open("p", "class", "more").text("Explained above: ");
            String between = "";
            for (Term term : before) {
                if (!added.contains(term)) {
                    out.text(between);
                    write(out, term);
                    between = ", ";
                }
            }
            out.close();
        }
    }

    private String place(Term term) {
        return places.getOrDefault(term, "");
    }
}
