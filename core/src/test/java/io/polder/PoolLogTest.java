package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.util.List;

/** What a pool logs, in a process of its own, as the JDK's logging shows it. */
@EnabledOnOs(OS.LINUX)
class PoolLogTest {
    private static final String FIRST =
            "committed memory must stay within its limit: committedMaxBytes=4194304,"
                    + " committedBytes=3145728, requestedBytes=2097152, exceededByBytes=1048576,"
                    + " pool=small";
    private static final String SECOND =
            "committed memory must stay within its limit: committedMaxBytes=4194304,"
                    + " committedBytes=3145728, requestedBytes=6291456, exceededByBytes=2097152,"
                    + " pool=small";
    private static final String OF_A_HEAP =
            "committed memory must stay within its limit: committedMaxBytes=4194304,"
                    + " committedBytes=3145728, requestedBytes=8388608, exceededByBytes=4194304,"
                    + " pool=small";

    @Test
    void exhaustion_logged_showsTheReportAndTheMapOfThatMoment() {
        ChildJvm.Result result = run(ExhaustionProbe.class, "true");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out().lines()).containsExactly(FIRST, SECOND, OF_A_HEAP);
        assertThat(result.err())
                .contains("WARNING: pool exhausted: name=small: " + FIRST + "\nPool small\n")
                .containsOnlyOnce("pool exhausted") // the others come within the same minute
                .contains("Memory          used 3072K, committed 3072K, reserved ")
                .contains("  committed limit: 4.00 MB\n")
                .contains("A = 4 MiB, B = 2 MiB")
                .containsPattern("(?m)^0x[0-9a-f]+  3072K  A$");
    }

    @Test
    void exhaustion_notLogged_saysNothing() {
        ChildJvm.Result result = run(ExhaustionProbe.class, "false");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out().lines()).containsExactly(FIRST, SECOND, OF_A_HEAP);
        assertThat(result.err()).isEmpty();
    }

    /** Nobody is there to be told but the log, and nothing is lost. */
    @Test
    void cleanupAction_ofADeferredArenaThrows_isLogged() {
        ChildJvm.Result result = run(ActionProbe.class);
        assertThat(result.out()).isEqualTo("ran=1,1,1\n");
        assertThat(result.exitCode()).isZero();
        String warning = "WARNING: a cleanup action of a deferred arena failed\njava.lang.";
        assertThat(result.err())
                .contains(warning + "IllegalArgumentException: thrown by an action\n")
                .contains(warning + "StackOverflowError: thrown by an action as well\n")
                .doesNotContain("background task");
    }

    private static ChildJvm.Result run(Class<?> program, String... arguments) {
        // The logger translates the names of its levels.
        List<String> flags = List.of(ChildJvm.NATIVE_ACCESS, "-Duser.language=en");
        return ChildJvm.program(flags, program, arguments);
    }
}
