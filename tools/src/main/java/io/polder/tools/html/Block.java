package io.polder.tools.html;

import java.util.List;

/** Something in a section of a page. Texts are plain: whatever looks like markup is shown. */
public sealed interface Block permits Chart, DataTable, Block.Text, Block.Facts, Block.Folded {

    /**
     * Text whose lines and spaces stay as they are.
     *
     * @param text in lines
     */
    record Text(String text) implements Block {}

    /**
     * Names with what they stand for.
     *
     * @param facts in order
     */
    record Facts(List<Fact> facts) implements Block {
        /** Copies the list. */
        public Facts {
            facts = List.copyOf(facts);
        }
    }

    /** One of {@link Facts}. */
    record Fact(String name, String value) {}

    /**
     * What is only seen when asked for, and when printed.
     *
     * @param summary what it is
     * @param blocks what is inside; no charts, which could not be drawn there
     */
    record Folded(String summary, List<Block> blocks) implements Block {
        /**
         * Copies the list.
         *
         * @throws IllegalArgumentException if a chart is among them
         */
        public Folded {
            blocks = List.copyOf(blocks);
            if (blocks.stream().anyMatch(Chart.class::isInstance)) {
                throw new IllegalArgumentException("charts are not folded: summary=" + summary);
            }
        }
    }
}
