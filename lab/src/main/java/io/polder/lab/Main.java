package io.polder.lab;

import io.polder.tools.terminal.Progress;
import io.polder.tools.terminal.Terminal;

import picocli.CommandLine;

/** The {@code polder} command with its experiments. */
public final class Main {
    private Main() {}

    /** Runs the command and ends the JVM with its exit code, which its help explains. */
    public static void main(String[] args) {
        CommandLine command = commandLine(Experiments.ALL, Terminal.progress());
        System.exit(io.polder.tools.Main.execute(command, args));
    }

    /** The command with its subcommands. */
    static CommandLine commandLine(Experiments experiments, Progress progress) {
        return io.polder.tools.Main.commandLine(new LabCommand(experiments, progress), progress);
    }
}
