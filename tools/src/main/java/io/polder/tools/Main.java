package io.polder.tools;

import io.polder.tools.attach.CensusCommand;
import io.polder.tools.live.BaselineCommand;
import io.polder.tools.live.DiffCommand;
import io.polder.tools.live.LeaksCommand;
import io.polder.tools.live.MapCommand;
import io.polder.tools.live.ReportCommand;
import io.polder.tools.live.TopCommand;
import io.polder.tools.scan.ScanCommand;
import io.polder.tools.terminal.Mistakes;
import io.polder.tools.terminal.Numbers;
import io.polder.tools.terminal.Progress;
import io.polder.tools.terminal.Terminal;
import io.polder.tools.terminal.UnwrittenException;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The {@code polder} command. Without a subcommand it prints its help.
 *
 * <p>Here are the subcommands that look at other programs. The experiments are in a module of their
 * own, which adds them, and the launcher runs that one for {@value #LAB_NAME}. It does {@code run}
 * itself.
 */
@Command(
        name = "polder",
        description = "Off-heap memory for Java: measure it on this machine.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = "%npolder help COMMAND, or polder COMMAND --help, says what a command does.")
public final class Main implements Callable<Integer> {
    /** The subcommand of the other module. */
    public static final String LAB_NAME = "lab";

    /** What it does. */
    public static final String LAB_DESCRIPTION =
            "Runs an experiment on this machine and prints what it found.";

    private static final int OK = CommandLine.ExitCode.OK;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(names = "--java-home", description = "Print which JDK the command runs on, and exit.")
    private boolean javaHome;

    private Main() {}

    /** Runs the command and ends the JVM with its exit code, which its help explains. */
    public static void main(String[] args) {
        System.exit(execute(commandLine(new Lab(), Terminal.progress()), args));
    }

    /**
     * Executes a command of this process.
     *
     * @return its exit code; another if all was well but standard output could not be written,
     *     unless who read it has gone, as behind {@code | head}
     */
    public static int execute(CommandLine command, String[] args) {
        int code = command.execute(args);
        if (code == OK && System.out.checkError() && !Terminal.OUTPUT.mayBePipe()) {
            System.err.println("polder: standard output could not be written");
            return UnwrittenException.EXIT_CODE;
        }
        return code;
    }

    /**
     * The command with its subcommands.
     *
     * @param lab the subcommand {@value #LAB_NAME}
     */
    public static CommandLine commandLine(Callable<Integer> lab, Progress progress) {
        CommandLine command =
                new CommandLine(new Main())
                        .addSubcommand(lab)
                        .addSubcommand(new ReportCommand())
                        .addSubcommand(new MapCommand())
                        .addSubcommand(new TopCommand())
                        .addSubcommand(new LeaksCommand())
                        .addSubcommand(new BaselineCommand())
                        .addSubcommand(new DiffCommand())
                        .addSubcommand(new ScanCommand(progress))
                        .addSubcommand(new RunCommand())
                        .addSubcommand(new CensusCommand());
        return Numbers.readBy(command)
                .setParameterExceptionHandler(new Mistakes())
                .setExecutionStrategy(Main::run)
                .setCaseInsensitiveEnumValuesAllowed(true);
    }

    /** There is no help for a command that there is not. */
    private static int run(ParseResult parsed) {
        if (!parsed.hasSubcommand() && !parsed.unmatched().isEmpty()) {
            throw new UnmatchedArgumentException(
                    parsed.commandSpec().commandLine(), parsed.unmatched());
        }
        return new RunLast().execute(parsed);
    }

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (javaHome) { // else the launcher has said it
            out.println(System.getProperty("java.home"));
            return OK;
        }
        spec.commandLine().usage(out);
        return OK;
    }

    @Command(name = LAB_NAME, description = LAB_DESCRIPTION)
    static final class Lab extends Elsewhere {}

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
