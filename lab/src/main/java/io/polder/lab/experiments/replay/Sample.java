package io.polder.lab.experiments.replay;

import java.util.List;

/**
 * The state of a replay at one moment.
 *
 * @param mark why this moment
 * @param nanos time of the log
 * @param owners how many live
 * @param usedBytes what they have requested
 * @param committedBytes what the pool holds
 * @param rssBytes resident set of the process; negative where the system does not tell
 */
record Sample(
        Mark mark, long nanos, int owners, long usedBytes, long committedBytes, long rssBytes) {

    /** Why a sample was taken. */
    enum Mark {
        START("start"),
        /** A step in the time of the log. */
        STEP(""),
        PEAK("peak"),
        VALLEY("valley, trimmed"),
        END("end of the log"),
        CLOSED("all closed, trimmed");

        private final String label;

        Mark(String label) {
            this.label = label;
        }

        String label() {
            return label;
        }
    }

    /** How much is committed for what is used. */
    double ratio() {
        return committedBytes / (double) usedBytes;
    }

    /** Words from which {@link #parse} makes the same sample. */
    List<String> toWords() {
        return List.of(
                mark.name(),
                Long.toString(nanos),
                Integer.toString(owners),
                Long.toString(usedBytes),
                Long.toString(committedBytes),
                Long.toString(rssBytes));
    }

    /**
     * Reads what {@link #toWords} wrote.
     *
     * @throws IllegalArgumentException if it is something else
     */
    static Sample parse(List<String> words) {
        if (words.size() != 6) {
            throw new IllegalArgumentException("a sample has six words: words=" + words);
        }
        return new Sample(
                Mark.valueOf(words.get(0)),
                Long.parseLong(words.get(1)),
                Integer.parseInt(words.get(2)),
                Long.parseLong(words.get(3)),
                Long.parseLong(words.get(4)),
                Long.parseLong(words.get(5)));
    }
}
