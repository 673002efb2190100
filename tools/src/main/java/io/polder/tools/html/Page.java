package io.polder.tools.html;

import java.util.List;

/**
 * What is to be seen on one page.
 *
 * @param title of the window
 * @param headline what it all comes to, in one sentence; the first that is read
 * @param facts where and on what, in a few words each; below the headline
 * @param sections from top to bottom, each with an id of its own
 */
public record Page(String title, String headline, List<String> facts, List<Section> sections) {
    /**
     * Copies the lists.
     *
     * @throws IllegalArgumentException if two sections have the same id
     */
    public Page {
        facts = List.copyOf(facts);
        sections = List.copyOf(sections);
        if (sections.stream().map(Section::id).distinct().count() != sections.size()) {
            throw new IllegalArgumentException("ids of sections differ: sections=" + sections);
        }
    }

    /**
     * A part of a page.
     *
     * @param id what links to it end in: small letters, digits and dashes
     * @param title a few words
     * @param badge beside the title where it is listed, as "9 of 12 goals"; may be empty
     * @param lead what it comes to, in one sentence; may be empty
     * @param blocks from top to bottom
     * @param more where more is said of the names in its charts, in words; may be empty
     */
    public record Section(
            String id, String title, String badge, String lead, List<Block> blocks, String more) {
        /**
         * Copies the list.
         *
         * @throws IllegalArgumentException if the id is none
         */
        public Section {
            blocks = List.copyOf(blocks);
            if (!id.matches("[a-z][a-z0-9-]*")) {
                throw new IllegalArgumentException(
                        "an id has small letters, digits and dashes: id=" + id);
            }
        }

        /** A section whose title says it all. */
        public Section(String id, String title, List<Block> blocks) {
            this(id, title, "", "", blocks, "");
        }

        /** A section that says all of the names in its charts. */
        public Section(String id, String title, String badge, String lead, List<Block> blocks) {
            this(id, title, badge, lead, blocks, "");
        }
    }
}
