package io.polder.tools.terminal;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Stack;
import java.util.function.Supplier;

/**
 * {@code --json[=FILE]}, which means one thing in all commands: print JSON instead of the text; or
 * write it to a file, and print the text as ever. A word that follows it is its FILE only if it
 * ends in {@code .json}.
 */
public final class JsonOption {
    private static final String STDOUT = "-";
    private static final String NAMED = ".json";

    @Option(
            names = "--json",
            arity = "0..1",
            paramLabel = "FILE",
            fallbackValue = STDOUT,
            preprocessor = OrPrinted.class,
            description = "Print JSON instead of text, or write it to FILE as well.")
    private @Nullable String to;

    /** The option, which is not given yet. */
    public JsonOption() {}

    /** Whether it is given. */
    public boolean isGiven() {
        return to != null;
    }

    /** Whether JSON takes the place of the text. */
    public boolean isPrinted() {
        return STDOUT.equals(to);
    }

    /**
     * Checks that a FILE can be written.
     *
     * @throws ParameterException if it cannot
     */
    public void check(CommandSpec command) {
        String name = to;
        if (name != null && !isPrinted()) {
            checkWritable(command, "--json", Path.of(name));
        }
    }

    /**
     * Checks that the file of an option can be written, before there is something to write.
     *
     * @throws ParameterException if it cannot
     */
    public static void checkWritable(CommandSpec command, String option, Path file) {
        if (!OutputFile.isWritable(file)) {
            throw new ParameterException(
                    command.commandLine(),
                    option
                            + " names a file in a directory that exists and can be written: "
                            + Printable.of(file.toString()));
        }
    }

    /**
     * Prints JSON, or writes it to FILE.
     *
     * @throws UnwrittenException if it cannot be written there
     */
    public void write(String json, PrintWriter out) throws UnwrittenException {
        if (isPrinted()) {
            print(json, out);
        } else {
            writeFile(() -> json);
        }
    }

    /** Prints JSON. */
    public void print(String json, PrintWriter out) {
        out.print(json);
        out.flush();
    }

    /**
     * Writes JSON to FILE, if there is one.
     *
     * @throws UnwrittenException if it cannot be written there
     */
    public void writeFile(Supplier<String> json) throws UnwrittenException {
        String name = to;
        if (name != null && !isPrinted()) {
            OutputFile.write(Path.of(name), json.get());
        }
    }

    /** The FILE in words, where there is one. */
    public String file() {
        return Printable.of(String.valueOf(to));
    }

    /** Leaves alone what stands behind a blank, unless it is named as JSON is. */
    static final class OrPrinted implements IParameterPreprocessor {
        @Override
        public boolean preprocess(
                Stack<String> words,
                CommandSpec command,
                ArgSpec option,
                Map<String, Object> info) {
            boolean named = !words.isEmpty() && words.peek().endsWith(NAMED);
            if (" ".equals(info.get("separator")) && !named) {
                words.push(STDOUT);
            }
            return false;
        }
    }
}
