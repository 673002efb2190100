package io.polder.lab;

import io.polder.tools.terminal.Terminal;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files by which a shell and {@code man} know the command, made of the same descriptions as its
 * help: {@code ShellFiles RUN-HELP DIRECTORY}, where the first is a file with the help of {@code
 * polder run}, which the launcher does itself.
 *
 * <pre>
 * DIRECTORY/man/man1/polder.1            the manual page: a section for each command
 * DIRECTORY/completion/polder.bash       words after `polder`, for bash; for zsh by bashcompinit
 * </pre>
 */
final class ShellFiles {
    private static final String NAME = "polder";
    private static final String RUN = "run";

    /** A line of the help that begins with an option, behind a short one or not. */
    private static final Pattern RUN_OPTION =
            Pattern.compile("(?m)^ +(?:-\\w, )?(?<name>--[\\w-]+)(?<value>\\[?=\\S+)?(?= )");

    private ShellFiles() {}

    /** Writes both. */
    public static void main(String[] args) throws IOException {
        CommandLine command = Main.commandLine(Experiments.ALL, Terminal.progress());
        String runHelp = Files.readString(Path.of(args[0]));
        Path directory = Path.of(args[1]);
        write(directory.resolve("man/man1/polder.1"), manualPage(command, runHelp));
        write(directory.resolve("completion/polder.bash"), completion(command, runHelp));
    }

    private static void write(Path file, String text) throws IOException {
        Path parent = file.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.writeString(file, text);
    }

    /** A script for bash; what it knows of {@code run} is in the help of that. */
    static String completion(CommandLine command, String runHelp) {
        CommandLine run = Objects.requireNonNull(command.getSubcommands().get(RUN));
        addRun(run.getCommandSpec(), runHelp);
        return AutoComplete.bash(NAME, command);
    }

    private static void addRun(CommandSpec run, String help) {
        for (Matcher found = RUN_OPTION.matcher(help); found.find(); ) {
            boolean hasValue = found.group("value") != null;
            run.addOption(
                    OptionSpec.builder(found.group("name"))
                            .type(hasValue ? String.class : boolean.class)
                            .arity(hasValue ? "1" : "0")
                            .build());
        }
        // The command: words that are mostly files.
        run.addPositional(
                PositionalParamSpec.builder()
                        .index("0..*")
                        .type(List.class)
                        .auxiliaryTypes(Path.class)
                        .build());
    }

    /** In the language of {@code man}: roff. */
    static String manualPage(CommandLine command, String runHelp) {
        StringBuilder page = new StringBuilder(".TH POLDER 1\n.SH NAME\n");
        page.append(NAME).append(" \\- ").append(description(command)).append('\n');
        section(page, NAME, command.getUsageMessage(Ansi.OFF));
        for (Map.Entry<String, CommandLine> each : command.getSubcommands().entrySet()) {
            String help =
                    each.getKey().equals(RUN) ? runHelp : each.getValue().getUsageMessage(Ansi.OFF);
            section(page, NAME + " " + each.getKey(), help);
        }
        return page.toString();
    }

    private static String description(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        return escaped(String.join(" ", spec.usageMessage().description()));
    }

    /** A heading, and text that is shown as it is. */
    private static void section(StringBuilder page, String heading, String text) {
        page.append(".SH ").append(escaped(heading)).append("\n.nf\n");
        for (String line : text.lines().toList()) {
            page.append(escaped(line)).append('\n');
        }
        page.append(".fi\n");
    }

    /** So that nothing is taken for a request, and a hyphen can be copied. */
    static String escaped(String line) {
        String text = line.replace("\\", "\\e").replace("-", "\\-");
        return text.startsWith(".") || text.startsWith("'") ? "\\&" + text : text;
    }
}
