package io.polder.lab.harness;

/**
 * What an experiment is, and what of the command line it heeds.
 *
 * @param name on the command line, and first part of its metrics' names
 * @param description what it answers, in one line
 * @param takesFiles whether it reads files, which the command line must name then
 * @param writesCsv whether it writes its raw data to the directory in {@link Context#csv}
 * @param anchor of its section in the lab's documentation, {@value #DOCUMENT}
 */
public record About(
        String name, String description, boolean takesFiles, boolean writesCsv, String anchor) {
    /** Where all experiments are described, from the root of the sources. */
    public static final String DOCUMENT = "docs/lab.md";

    /** An experiment that writes raw data, and reads nothing. */
    public static About withCsv(String name, String description, String anchor) {
        return new About(name, description, false, true, anchor);
    }

    /** Where more is said of it, for people. */
    public String more() {
        return DOCUMENT + "#" + anchor + ", in the sources of Polder";
    }
}
