package io.polder.tools.html;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * Writes HTML. Whatever comes as text is escaped, so that no name can become markup; only {@link
 * #verbatim} takes what is markup already.
 *
 * <p><b>Invariant:</b> every element that was opened and not closed is on the stack, the innermost
 * on top. Not thread-safe.
 */
final class Markup {
    /** Elements that end a line of the file, for those who read it as text. */
    private static final Set<String> LINES =
            Set.of("section", "figure", "table", "tr", "p", "h2", "h3", "script", "style", "li");

    private final StringBuilder html = new StringBuilder();
    private final Deque<String> open = new ArrayDeque<>();

    /**
     * Opens an element.
     *
     * @param tag its name, behind which attributes may stand that are the same each time, as HTML
     * @param attributes name, value, name, value, ...; an empty value is written as such
     */
    Markup open(String tag, String... attributes) {
        begin(tag, attributes);
        open.push(tag.split(" ", 2)[0]);
        return this;
    }

    /** Opens an element, writes text into it, and closes it. */
    Markup element(String tag, String text, String... attributes) {
        return open(tag, attributes).text(text).close();
    }

    /** Writes an element that has no content and no end, as {@code meta}. */
    Markup single(String tag, String... attributes) {
        begin(tag, attributes);
        return this;
    }

    /** Closes the innermost element. */
    Markup close() {
        String tag = open.pop();
        html.append("</").append(tag).append('>');
        if (LINES.contains(tag)) {
            html.append('\n');
        }
        return this;
    }

    /** Writes text. */
    Markup text(String text) {
        html.append(escape(text));
        return this;
    }

    /** Writes what is HTML already, and comes from here. */
    Markup verbatim(String trusted) {
        html.append(trusted);
        return this;
    }

    /**
     * All that was written.
     *
     * @throws AssertionError if an element is still open
     */
    String html() {
        if (!open.isEmpty()) {
            throw new AssertionError("all elements are closed: open=" + open);
        }
        return html.toString();
    }

    /** Text as it stands in HTML, between tags and in quotes. */
    static String escape(String text) {
        StringBuilder escaped = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> escaped.append(isAllowed(c) ? c : '\uFFFD');
            }
        }
        return escaped.toString();
    }

    /** Control characters have no form in HTML. */
    private static boolean isAllowed(char c) {
        return c == '\n' || c == '\t' || (c >= ' ' && !(c >= '\u007F' && c < '\u00A0'));
    }

    private void begin(String tag, String... attributes) {
        html.append('<').append(tag);
        for (int i = 0; i < attributes.length; i += 2) {
            html.append(' ')
                    .append(attributes[i])
                    .append("=\"")
                    .append(escape(attributes[i + 1]))
                    .append('"');
        }
        html.append('>');
    }
}
