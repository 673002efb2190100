package io.polder.tidy;

import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.JavaFormatterOptions;

import java.util.List;
import java.util.stream.Stream;

/**
 * The one format of Java sources: google-java-format, AOSP style. Javadoc is left as it was
 * written, because the formatter would reflow drawings and tables.
 */
final class Formatting {

    private static final Formatter FORMATTER =
            new Formatter(
                    JavaFormatterOptions.builder()
                            .style(JavaFormatterOptions.Style.AOSP)
                            .formatJavadoc(false)
                            .build());

    /** Two have been enough so far; the limit is for a formatter that swings to and fro. */
    private static final int ROUNDS_MAX = 5;

    private Formatting() {}

    /** The source as it should be. */
    static String format(String source) throws FormatterException {
        return FORMATTER.formatSourceAndFixImports(source);
    }

    /** The same, until it stays as it is: a string that the formatter breaks may move once more. */
    static String formatFully(String source) throws FormatterException {
        String before = source;
        for (int round = 0; round < ROUNDS_MAX; round++) {
            String after = format(before);
            if (after.equals(before)) {
                return after;
            }
            before = after;
        }
        return before;
    }

    static List<Violation> check(Tree tree) {
        return tree.java().parallel().flatMap(Formatting::check).toList();
    }

    private static Stream<Violation> check(SourceFile file) {
        try {
            String formatted = format(file.text());
            if (formatted.equals(file.text())) {
                return Stream.empty();
            }
            int line = firstDifference(file.text(), formatted);
            return Stream.of(new Violation(file.path(), line, "not formatted"));
        } catch (FormatterException e) {
            String problem = "cannot be parsed: " + e.getMessage();
            return Stream.of(new Violation(file.path(), 0, problem));
        }
    }

    private static int firstDifference(String a, String b) {
        List<String> as = a.lines().toList();
        List<String> bs = b.lines().toList();
        int line = 0;
        while (line < as.size() && line < bs.size() && as.get(line).equals(bs.get(line))) {
            line++;
        }
        return line + 1;
    }
}
