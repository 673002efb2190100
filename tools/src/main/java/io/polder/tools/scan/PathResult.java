package io.polder.tools.scan;

import io.polder.tools.terminal.Printable;

import java.util.List;

/**
 * What was found below one PATH of the command line.
 *
 * @param path {@linkplain Printable printable}
 */
record PathResult(String path, List<ArtifactResult> artifacts) {
    /** Copies the list. */
    PathResult {
        artifacts = List.copyOf(artifacts);
    }

    /** Whether no class file was scanned. */
    boolean isEmpty() {
        return artifacts.stream().allMatch(artifact -> artifact.scanned() == 0);
    }

    /** Whether no class file was scanned, but something left out. */
    boolean isUnusable() {
        return isEmpty() && artifacts.stream().anyMatch(artifact -> !artifact.problems().isEmpty());
    }
}
