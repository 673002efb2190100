package io.polder.stress.everywhere;

import org.jspecify.annotations.Nullable;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * What was wrong after something was thrown.
 *
 * @param name the operation
 * @param kind what was thrown
 * @param repeat how often
 * @param point from which point on
 * @param injected what was thrown first; null if nothing was
 * @param wrong what did not hold
 */
record Failure(
        String name,
        Kind kind,
        Repeat repeat,
        long point,
        @Nullable Throwable injected,
        Throwable wrong) {

    /** How a run with nothing but this is asked for. */
    String asked() {
        return "FAILED --only %s --kind %s --repeat %s --point %d"
                .formatted(name, kind, repeat, point);
    }

    /** How it is asked for, what was wrong, and both stacks. */
    String describe() {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        out.println(asked());
        out.print("  wrong: ");
        wrong.printStackTrace(out);
        if (injected != null) {
            out.print("  thrown: ");
            injected.printStackTrace(out);
        }
        return text.toString();
    }
}
