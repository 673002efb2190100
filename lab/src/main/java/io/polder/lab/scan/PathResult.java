package io.polder.lab.scan;

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

    /** Whether there is no class file. */
    boolean isEmpty() {
        return artifacts.stream().allMatch(artifact -> artifact.classes() == 0);
    }

    /** Whether there is no class file, and something that could not be read. */
    boolean isUnusable() {
        return isEmpty() && artifacts.stream().anyMatch(artifact -> !artifact.problems().isEmpty());
    }
}
