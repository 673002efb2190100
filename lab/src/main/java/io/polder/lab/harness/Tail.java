package io.polder.lab.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The last lines of a stream, so that a child that writes without end costs no memory.
 *
 * <p>Thread-safe: one thread reads the stream while another one asks for the text.
 */
final class Tail {
    /** Enough for a stack trace with its causes. */
    private static final int LINES_MAX = 100;

    private final Deque<String> lines = new ArrayDeque<>();

    /** Reads a stream to its end. */
    void readAll(BufferedReader reader) {
        try (reader) {
            String line = reader.readLine();
            while (line != null) {
                add(line);
                line = reader.readLine();
            }
        } catch (IOException e) {
            add("(stderr broke off: " + e.getMessage() + ")");
        }
    }

    /** The lines kept, without a line end after the last one. */
    synchronized String text() {
        return String.join("\n", lines);
    }

    private synchronized void add(String line) {
        if (lines.size() == LINES_MAX) {
            lines.removeFirst();
        }
        lines.addLast(line);
    }
}
