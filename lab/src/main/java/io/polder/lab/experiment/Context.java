package io.polder.lab.experiment;

import java.nio.file.Path;
import java.util.List;

/**
 * What an experiment is told by the command line.
 *
 * @param quick done within 45 seconds on two idle cores, at the price of a wider spread
 * @param seed decides everything that is drawn at random
 * @param files what it is to read; not empty exactly if {@link Experiment#takesFiles}
 * @param progress where the experiment says how far it is
 */
public record Context(boolean quick, long seed, List<Path> files, Progress progress) {
    /** Copies the list. */
    public Context {
        files = List.copyOf(files);
    }

    /** What an experiment without files is told. */
    public Context(boolean quick, long seed, Progress progress) {
        this(quick, seed, List.of(), progress);
    }
}
