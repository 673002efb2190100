package io.polder.tools.terminal;

import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

import java.io.PrintWriter;

/**
 * Says what is wrong with a command line, and where to read more: the help is a page, and the
 * message would be far above its end.
 */
public final class Mistakes implements IParameterExceptionHandler {
    /** The only way to say it. */
    public Mistakes() {}

    @Override
    public int handleParseException(ParameterException mistake, String[] words) {
        CommandLine command = mistake.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        PrintWriter err = command.getErr();
        err.println(name + ": " + Printable.lines(String.valueOf(mistake.getMessage())));
        boolean _ = UnmatchedArgumentException.printSuggestions(mistake, err);
        err.println("Try '" + name + " --help'.");
        err.flush();
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }
}
