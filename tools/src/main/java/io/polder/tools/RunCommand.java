package io.polder.tools;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.List;

/**
 * {@code polder run}, as far as it is described: the launcher does it, since a JVM cannot become
 * another one. It reads the options that stand here, and gives them to the agent.
 */
@Command(
        name = "run",
        description = "Runs a Java command with pooled arenas, without a change to the program.",
        customSynopsis = "polder run [OPTIONS] java ARGUMENT...",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        sortOptions = false,
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "2:the command line is wrong",
            "126:java cannot be executed",
            "127:there is no such java",
            "*:otherwise that of the command"
        },
        footer = {
            "%nEverything from the word java on is the command's: its options, streams and"
                    + " signals.",
            "All is printed when the program ends: JSON to standard output and the rest to standard"
                    + " error, or all to FILE; %%p: the process id; -: standard output."
        })
@SuppressWarnings("UnusedVariable") // the launcher has the values
final class RunCommand extends Elsewhere {
    @Parameters(
            paramLabel = "java ARGUMENT...",
            description = "The command.",
            hideParamSyntax = true)
    private List<Path> command = List.of();

    @Option(
            names = "--pool",
            paramLabel = "KIND",
            description =
                    "confined, shared, both or off: which arenas are pooled (default: confined).")
    private @Nullable String pool;

    @Option(
            names = "--netty",
            description =
                    "Make Polder's allocator Netty's default, where Netty would choose one itself.")
    private boolean netty;

    @Option(
            names = "--report",
            arity = "0..1",
            paramLabel = "FILE",
            description = "Print the reports of all pools at the end.")
    private @Nullable String report;

    @Option(
            names = "--leaks",
            paramLabel = "HOW",
            description = "Look for what is never closed: sampled or all.")
    private @Nullable String leaks;

    @Option(
            names = "--census",
            arity = "0..1",
            paramLabel = "FILE",
            description = "Count arenas, and print the census at the end.")
    private @Nullable String census;

    @Option(
            names = "--json",
            arity = "0..1",
            paramLabel = "FILE",
            description = "Count arenas, and print the census as JSON.")
    private @Nullable String json;

    @Option(
            names = "--include",
            paramLabel = "PATTERN",
            description = "Only classes of this name: com.acme.*, com.acme.**")
    private List<String> include = List.of();

    @Option(names = "--exclude", paramLabel = "PATTERN", description = "No classes of this name.")
    private List<String> exclude = List.of();
}
