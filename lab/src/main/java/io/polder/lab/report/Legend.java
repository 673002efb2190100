package io.polder.lab.report;

import io.polder.tools.html.Chart;
import io.polder.tools.html.Term;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What rows and columns of a report's tables are: the words that a page has below its charts, for a
 * terminal.
 *
 * <p>A name that is a size, such as "3 x 5 B", or a number of threads says what it is; one such as
 * "slot" is only a name.
 */
final class Legend {
    private static final Pattern SIZE = Pattern.compile("(.* )?\\d+ (B|threads?)(,.*)?");

    private Legend() {}

    /** A line and more for each name that the tables have; empty if they have none. */
    static String of(Report report) {
        Map<String, String> names = new LinkedHashMap<>();
        for (Chart chart : report.section().charts()) {
            for (Term term : chart.terms()) {
                if (term.isExplained() && isNameIn(report.tables(), term.name())) {
                    names.putIfAbsent(term.name(), term.words());
                }
            }
        }
        int room = 2 + names.keySet().stream().mapToInt(String::length).max().orElse(0);
        StringBuilder text = new StringBuilder();
        names.forEach((name, words) -> write(text, name, words, room));
        return text.toString();
    }

    /** Whether it is a cell of a table, or the first of two that are compared, and no size. */
    private static boolean isNameIn(String tables, String name) {
        return !SIZE.matcher(name).matches()
                && Pattern.compile("(?m)(^|  )" + Pattern.quote(name) + "(  | / |$)")
                        .matcher(tables)
                        .find();
    }

    private static void write(StringBuilder text, String name, String words, int room) {
        StringBuilder line = new StringBuilder(name);
        // As tables have it: not every terminal shows more than ASCII.
        for (String word : words.replace('\u2019', '\'').split(" ", -1)) {
            if (line.length() + 1 + word.length() > Report.WIDTH) {
                text.append(line).append('\n');
                line.setLength(0);
            }
            line.append(" ".repeat(Math.max(1, room - line.length()))).append(word);
        }
        text.append(line).append('\n');
    }
}
