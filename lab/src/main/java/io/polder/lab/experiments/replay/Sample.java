package io.polder.lab.experiments.replay;

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
}
