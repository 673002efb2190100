package io.polder.lab;

import io.polder.tools.terminal.Terminal;

import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The files by which a shell and {@code man} know the command, made of the same descriptions as its
 * help: {@code ShellFiles DIRECTORY}.
 *
 * <pre>
 * DIRECTORY/man/man1/polder.1            the manual page: a section for each command
 * DIRECTORY/completion/polder.bash       words after `polder`, for bash; for zsh by bashcompinit
 * </pre>
 */
final class ShellFiles {
    private static final String NAME = "polder";

    private ShellFiles() {}

    /** Writes both. */
    public static void main(String[] args) throws IOException {
        CommandLine command = Main.commandLine(Experiments.ALL, Terminal.progress());
        Path directory = Path.of(args[0]);
        write(directory.resolve("man/man1/polder.1"), manualPage(command));
        write(directory.resolve("completion/polder.bash"), AutoComplete.bash(NAME, command));
    }

    private static void write(Path file, String text) throws IOException {
        Path parent = file.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.writeString(file, text);
    }

    /** In the language of {@code man}: roff. */
    static String manualPage(CommandLine command) {
        StringBuilder page = new StringBuilder(".TH POLDER 1\n.SH NAME\n");
        page.append(NAME).append(" \\- ").append(description(command)).append('\n');
        section(page, NAME, command.getUsageMessage(Ansi.OFF));
        for (Map.Entry<String, CommandLine> each : command.getSubcommands().entrySet()) {
            section(page, NAME + " " + each.getKey(), each.getValue().getUsageMessage(Ansi.OFF));
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
