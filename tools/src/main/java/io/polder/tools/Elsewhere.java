package io.polder.tools;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.util.concurrent.Callable;

/** Stands in the list of subcommands for one that the launcher finds elsewhere. */
abstract class Elsewhere implements Callable<Integer> {
    @Spec private CommandSpec spec = CommandSpec.create();

    @Override
    public final Integer call() {
        spec.commandLine().getErr().println("Use ./polder " + spec.name());
        return CommandLine.ExitCode.USAGE;
    }
}
