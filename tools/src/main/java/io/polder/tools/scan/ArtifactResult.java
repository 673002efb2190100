package io.polder.tools.scan;

import java.util.ArrayList;
import java.util.List;

/**
 * What was found in an artifact.
 *
 * @param classes how many class files it has, also those that were left out
 * @param scanned how many of them were scanned
 * @param uses in the order of the class files' names
 * @param problems of the artifact, then of its class files
 */
record ArtifactResult(
        String name, int classes, int scanned, List<Use> uses, List<Problem> problems) {
    /** Copies the lists. */
    ArtifactResult {
        uses = List.copyOf(uses);
        problems = List.copyOf(problems);
    }

    /** All artifacts as one. */
    static ArtifactResult total(List<ArtifactResult> artifacts) {
        List<Use> uses = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (ArtifactResult artifact : artifacts) {
            uses.addAll(artifact.uses());
            problems.addAll(artifact.problems());
        }
        int classes = artifacts.stream().mapToInt(ArtifactResult::classes).sum();
        int scanned = artifacts.stream().mapToInt(ArtifactResult::scanned).sum();
        return new ArtifactResult("total", classes, scanned, uses, problems);
    }

    /** How many uses there are of a kind. */
    long count(UseKind kind) {
        return uses.stream().filter(use -> use.kind() == kind).count();
    }

    /** How many arenas of a kind have a fate. */
    long count(UseKind kind, Fate fate) {
        return uses.stream().filter(use -> use.kind() == kind && use.has(fate)).count();
    }

    /** How many arenas have a fate. */
    long count(Fate fate) {
        return uses.stream().filter(use -> use.has(fate)).count();
    }

    /** How many allocations are from a kind of allocator. */
    long countFrom(UseKind allocator) {
        return uses.stream().filter(use -> use.allocator() == allocator).count();
    }

    long poolingWouldServe() {
        return uses.stream().filter(Use::poolingWouldServe).count();
    }
}
