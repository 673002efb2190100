package io.polder.lab.report;

import io.polder.tools.terminal.OutputFile;
import io.polder.tools.terminal.UnwrittenException;

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
     * @throws UnwrittenException if it cannot be written; that one is as it was
     */
    public void write(Path directory, String name) throws UnwrittenException {
        OutputFile.write(directory.resolve(name), String.join("\n", lines) + "\n");
    }
}
