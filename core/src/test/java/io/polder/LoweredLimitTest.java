package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.memory.MovableMemory;
import io.polder.memory.RealKernel;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A limit on address space is lowered below what a process has, and raised again: {@code mremap}
 * unmaps its target then, and refuses. See {@link LoweredLimitProbe}.
 */
@EnabledOnOs(OS.LINUX)
@RealKernel
class LoweredLimitTest {
    /** The JVM has what it needs before, since it ends without: no compiler, no growing heap. */
    private static final List<String> FLAGS =
            List.of(
                    "-Xint",
                    "-Xms64m",
                    "-Xmx64m",
                    "-XX:+UseSerialGC",
                    "-XX:+AlwaysPreTouch",
                    "-XX:-CreateCoredumpOnCrash",
                    "-XX:ErrorFile=/dev/null",
                    ChildJvm.NATIVE_ACCESS);

    /** What the JVM says that gets no memory for a class, say: the rounds before count. */
    private static final String JVM_FAILED = "insufficient memory for the Java Runtime";

    private static final Pattern ROUND = Pattern.compile("^round [3-8],", Pattern.MULTILINE);
    private static final int ROUNDS = 6;
    private static final int TRIALS_MAX = 10;

    @Test
    void take_limitLoweredAndRaised_pagesAreOursAlone() {
        MovableMemory.assume();
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    long rounds = 0;
                    for (int i = 0; i < TRIALS_MAX && rounds < ROUNDS; i++) {
                        String said = trial(seed + i);
                        assertThat(said).doesNotContain("SIGSEGV", "SIGBUS", "AssertionError");
                        if (!said.contains(JVM_FAILED)) {
                            assertThat(said).contains("\nok").doesNotContain("#");
                        }
                        rounds += ROUND.matcher(said).results().count();
                    }
                    assertThat(rounds).isGreaterThanOrEqualTo(ROUNDS);
                });
    }

    private static String trial(long seed) {
        ChildJvm.Result result =
                ChildJvm.program(FLAGS, LoweredLimitProbe.class, Long.toString(seed));
        return result.out() + result.err();
    }
}
