package io.polder.tools.live;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Lets a command that never ends print a few tables, and then does something that ends it. */
final class StoppableOutput {
    private final int tables;
    private final Runnable stop;
    private final StringWriter out = new StringWriter();

    StoppableOutput(int tables, Runnable stop) {
        this.tables = tables;
        this.stop = stop;
    }

    LiveRun run(Object command, String... arguments) {
        StringWriter err = new StringWriter();
        PrintWriter counting =
                new PrintWriter(out) {
                    private int flushes;

                    @Override
                    public void flush() {
                        super.flush();
                        flushes++;
                        if (flushes == tables) {
                            stop.run();
                        }
                    }
                };
        int exitCode =
                new CommandLine(command)
                        .setDefaultValueProvider(LiveRun.PATIENT)
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .setOut(counting)
                        .setErr(new PrintWriter(err))
                        .execute(arguments);
        return new LiveRun(exitCode, out.toString(), err.toString());
    }
}
