package io.polder.tidy;

/** What a rule found, and where; line 0 is the file as a whole. */
record Violation(String path, int line, String message) {

    @Override
    public String toString() {
        return (line == 0 ? path : path + ":" + line) + ": " + message;
    }
}
