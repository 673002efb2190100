package io.polder.tidy;

import static org.assertj.core.api.Assertions.fail;

import java.util.List;
import java.util.stream.Collectors;

/** How the tests over the repository end. */
final class Tidy {

    private Tidy() {}

    static void assertNone(List<Violation> violations) {
        assertNone(violations, "The repository is untidy:");
    }

    /** Fails with one line for each violation, so that a whole run is one list to work off. */
    static void assertNone(List<Violation> violations, String heading) {
        if (!violations.isEmpty()) {
            fail(
                    violations.stream()
                            .map(Violation::toString)
                            .collect(Collectors.joining("\n", heading + "\n", "")));
        }
    }
}
