package io.polder.lab;

import io.polder.lab.attach.CensusCommand;
import io.polder.lab.experiment.Progress;
import io.polder.lab.live.MapCommand;
import io.polder.lab.live.ReportCommand;
import io.polder.lab.live.TopCommand;
import io.polder.lab.run.RunCommand;
import io.polder.lab.scan.ScanCommand;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;

/** The {@code polder} command. Without a subcommand it prints its help. */
@Command(
        name = "polder",
        description = "Off-heap memory for Java: measure it on this machine.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND")
public final class Main implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    private Main() {}

    /** Runs the command and ends the JVM with its exit code, which its help explains. */
    public static void main(String[] args) {
        System.exit(commandLine(Experiments.ALL, Terminal.progress()).execute(args));
    }

    /** The command with its subcommands. */
    static CommandLine commandLine(Experiments experiments, Progress progress) {
        return new CommandLine(new Main())
                .addSubcommand(new LabCommand(experiments, progress))
                .addSubcommand(new ReportCommand())
                .addSubcommand(new MapCommand())
                .addSubcommand(new TopCommand())
                .addSubcommand(new ScanCommand(progress))
                .addSubcommand(RunCommand.commandLine())
                .addSubcommand(new CensusCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExpandAtFiles(false); // @file is the business of java in polder run
    }

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        spec.commandLine().usage(out);
        return LabCommand.OK;
    }

    /** The version in the jar's manifest. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return List.of(
                            "polder " + (version == null ? "(not built as a jar)" : version),
                            "java " + Runtime.version())
                    .toArray(String[]::new);
        }
    }
}
