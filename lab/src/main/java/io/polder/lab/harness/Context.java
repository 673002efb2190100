package io.polder.lab.harness;

import io.polder.tools.terminal.Progress;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.List;

/**
 * What an experiment is told by the command line.
 *
 * @param quick done within two minutes on two idle cores, at the price of a wider spread
 * @param seed decides everything that is drawn at random
 * @param files what it is to read; not empty exactly if {@link About#takesFiles}
 * @param progress where the experiment says how far it is
 * @param csv directory for raw data, if somebody wants them; only where {@link
 *     About#writesCsv}
 */
public record Context(
        boolean quick, long seed, List<Path> files, Progress progress, @Nullable Path csv) {
    /** Copies the list. */
    public Context {
        files = List.copyOf(files);
    }

    /** What an experiment is told without files, and nobody wants raw data. */
    public Context(boolean quick, long seed, Progress progress) {
        this(quick, seed, List.of(), progress, null);
    }
}
