package io.polder.tools.live;

import picocli.CommandLine;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.OptionSpec;

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
    /** How long a JVM may take to answer where a test does not say it: it may be a slow machine. */
    static final IDefaultValueProvider PATIENT =
            argument ->
                    argument instanceof OptionSpec option
                                    && option.longestName().equals("--timeout")
                            ? "120"
                            : null;

    /** Runs a command in this JVM. */
    public static LiveRun of(Object command, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode =
                new CommandLine(command)
                        .setDefaultValueProvider(PATIENT)
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .setOut(new PrintWriter(out))
                        .setErr(new PrintWriter(err))
                        .execute(arguments);
        return new LiveRun(exitCode, out.toString(), err.toString());
    }
}
