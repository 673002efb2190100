package io.polder.agent.library;

/** Where lines for the user go. */
public interface Log {
    /** Says a line. */
    void say(String line);
}
