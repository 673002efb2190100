package io.polder.tools.scan;

import io.polder.tools.terminal.Printable;

import java.util.List;

/**
 * What is counted as one: a jar, a folder of class files, a module of the JDK, a single class file.
 *
 * @param name the path on the command line, or the one below it; within a jar, behind {@code !/}
 * @param entries all class files
 * @param problems of the artifact as a whole
 */
record Artifact(String name, List<Entry> entries, List<Problem> problems) {
    /** Copies the lists, and makes the name printable. */
    Artifact {
        name = Printable.of(name);
        entries = List.copyOf(entries);
        problems = List.copyOf(problems);
    }

    /** An artifact of which nothing can be read. */
    static Artifact unusable(String name, Problem.Kind kind, String what) {
        return new Artifact(name, List.of(), List.of(new Problem(kind, name, what)));
    }
}
