package io.polder.tools.html;

import java.util.List;

/**
 * A picture of figures. Each can also be read as a table, and says in a sentence what is to be seen
 * to those who do not see it.
 */
public sealed interface Chart extends Block permits TimeLine, Latency, Bars, MemoryMap {
    /** What it shows and how to read it. */
    Caption caption();

    /** Names of its rows, lines or curves, from top to bottom, each once. */
    default List<Term> terms() {
        return List.of();
    }

    /** The same without what was to be reached. */
    default Chart withoutGoals() {
        return this;
    }

    /** How to read it, in a sentence or two; may be empty. */
    default String note() {
        return caption().note();
    }

    /**
     * Above a chart.
     *
     * @param title a few words
     * @param note how to read it, in a sentence or two; may be empty
     */
    record Caption(String title, String note) {}
}
