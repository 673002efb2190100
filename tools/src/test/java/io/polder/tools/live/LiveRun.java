package io.polder.tools.live;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * What a command printed, and how it ended.
 *
 * @param exitCode its exit code
 * @param out its standard output
 * @param err its standard error
 */
public record LiveRun(int exitCode, String out, String err) {
    /** Runs a command in this JVM. */
    public static LiveRun of(Object command, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                new CommandLine(command)
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .setOut(new PrintWriter(out))
                        .setErr(new PrintWriter(err))
                        .execute(arguments);
        return new LiveRun(exitCode, out.toString(), err.toString());
    }
}
