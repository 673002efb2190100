package io.polder.tools.html;

/**
 * A name in a chart, of a row, a line or a curve, and what it stands for. Below the first chart of
 * a section that has the name its words are written; charts after that one link to them.
 *
 * @param name as it is drawn; may be empty where it says nothing
 * @param words what it stands for, in a few words; empty where the name says it all
 */
public record Term(String name, String words) {
    /** No name. */
    public static final Term NONE = new Term("", "");

    /** A name that says it all. */
    public static Term of(String name) {
        return new Term(name, "");
    }

    /** Whether it says what it stands for. */
    public boolean isExplained() {
        return !words.isEmpty();
    }
}
