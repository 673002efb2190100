package io.polder.lab.report;

import io.polder.lab.harness.ExperimentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A table of numbers for other programs, as comma-separated values.
 *
 * <pre>{@code
 * round,ns,part,small,medium,...
 * 1,103456789,1,671088640,234881024,...
 * }</pre>
 */
public final class RawData {
    private final List<String> lines = new ArrayList<>();

    /** Creates a table with the names of its columns. */
    public RawData(List<?> names) {
        row(names);
    }

    /** Adds a row. */
    public void row(List<?> values) {
        lines.add(values.stream().map(String::valueOf).collect(Collectors.joining(",")));
    }

    /** The lines of the file. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    /**
     * Writes the file, over one of an earlier run.
     *
     * @throws ExperimentException if it cannot be written
     */
    public void write(Path directory, String name) throws ExperimentException {
        try {
            Files.write(directory.resolve(name), lines);
        } catch (IOException e) {
            throw new ExperimentException("A file could not be written: " + e, e);
        }
    }
}
