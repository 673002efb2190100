package io.polder.tools.attach;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Which process is looked at, and for how long it may let us wait: the same in all commands. */
public final class ProcessOptions {
    private static final int SECONDS_MAX = 3600;

    @Parameters(
            index = "0",
            arity = "0..1",
            hideParamSyntax = true,
            paramLabel = "PID",
            description = "The number of the process; without it, the JVMs that run are listed.")
    private @Nullable Long pid;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "How long the process may take to answer (default: ${DEFAULT-VALUE}).")
    private int timeoutSeconds;

    /** Nothing is given yet. */
    public ProcessOptions() {}

    /**
     * The process, and how long it may take from now on.
     *
     * @throws ParameterException if none is named, or something is out of its range
     */
    public Patience patience(CommandSpec command) {
        Long process = pid;
        if (process == null) {
            throw usage(command, "name the process to look at" + JvmProcess.running());
        }
        if (process <= 0) {
            throw usage(command, "PID must be positive: PID=" + process);
        }
        if (timeoutSeconds < 1 || timeoutSeconds > SECONDS_MAX) {
            throw usage(
                    command,
                    "--timeout must be from 1 to " + SECONDS_MAX + " seconds: " + timeoutSeconds);
        }
        return new Patience(process, timeoutSeconds);
    }

    private static ParameterException usage(CommandSpec command, String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
