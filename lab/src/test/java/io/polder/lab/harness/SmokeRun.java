package io.polder.lab.harness;

import io.polder.lab.report.Report;
import io.polder.tools.terminal.ProgressLines;
import io.polder.tools.terminal.UnwrittenException;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Runs of experiments in a test, and what they say of their progress. */
public final class SmokeRun {
    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

    /** Runs an experiment that writes no samples and reads no files. */
    public Report of(Experiment experiment)
            throws ExperimentException, UnwrittenException, InterruptedException {
        return of(experiment, 3, List.of(), null);
    }

    /** Runs an experiment that writes its samples into a directory. */
    public Report of(Experiment experiment, Path csv)
            throws ExperimentException, UnwrittenException, InterruptedException {
        return of(experiment, 3, List.of(), csv);
    }

    /** Runs an experiment on what the command line names. */
    public Report of(Experiment experiment, long seed, List<Path> files, @Nullable Path csv)
            throws ExperimentException, UnwrittenException, InterruptedException {
        PrintStream stream = new PrintStream(shown, true, StandardCharsets.UTF_8);
        return experiment.run(new Context(true, seed, files, new ProgressLines(stream), csv));
    }

    /** What was said. */
    public String shown() {
        return shown.toString(StandardCharsets.UTF_8);
    }
}
