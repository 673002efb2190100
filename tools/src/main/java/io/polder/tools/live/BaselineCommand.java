package io.polder.tools.live;

import io.polder.tools.attach.AttachException;
import io.polder.tools.terminal.Printable;
import io.polder.tools.terminal.UnwrittenException;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** {@code polder baseline PID}: remembers what the pools of a running JVM hold. */
@Command(
        name = "baseline",
        description =
                "Remembers what the pools of a running JVM hold, for polder diff to compare with.")
public final class BaselineCommand extends LiveCommand {
    @Option(
            names = "--file",
            paramLabel = "FILE",
            description =
                    "Where to write it, in place of an earlier baseline and nothing else; by"
                            + " default in a directory of yours, one per process.")
    private @Nullable Path file;

    /** The command, without arguments yet. */
    public BaselineCommand() {}

    @Override
    void check() {
        if (file != null) {
            checkWritable("--file", file);
            if (!Baseline.mayReplace(file)) {
                throw usage(
                        "--file: only a baseline is replaced, and there is something else: "
                                + Printable.of(file.toString()));
            }
        } else if (!Baseline.hasDirectory()) {
            throw usage(Baseline.NO_DIRECTORY);
        }
    }

    @Override
    void prepare(LiveJvm jvm, List<LivePool> pools) throws AttachException, UnwrittenException {
        Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        new Baseline(now, pool(), samples(pools)).write(place(jvm));
    }

    private Path place(LiveJvm jvm) {
        return file == null ? Baseline.place(jvm.pid()) : file;
    }

    @Override
    void show(LiveJvm jvm, List<LivePool> pools) {
        out().println(jvm.title() + ", pools: " + pools.size());
        out().println("Remembered in " + Printable.of(place(jvm).toString()));
        out().flush();
    }
}
