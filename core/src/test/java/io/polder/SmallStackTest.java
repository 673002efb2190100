package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** Threads with the smallest stacks that the JVM grants are the first to use Polder. */
@EnabledOnOs(OS.LINUX)
class SmallStackTest {
    @Test
    void firstArenas_smallStacks_areOpened() {
        check("confined", "-XX:+TieredCompilation");
    }

    @Tag("full")
    @ParameterizedTest
    @CsvSource({
        "confined, -XX:TieredStopAtLevel=1",
        "confined, -Xint",
        "shared, -XX:+TieredCompilation",
        "shared, -XX:TieredStopAtLevel=1",
        "shared, -Xint",
        "deferred, -XX:+TieredCompilation",
        "deferred, -XX:TieredStopAtLevel=1",
        "pool, -XX:+TieredCompilation",
        "pool, -XX:TieredStopAtLevel=1",
        "bang, -XX:+TieredCompilation",
        "bang, -XX:TieredStopAtLevel=1",
        "bang, -XX:-TieredCompilation",
        "bang, -Xint"
    })
    void firstUse_smallStacks_isDone(String what, String flag) {
        check(what, flag);
    }

    private static void check(String what, String flag) {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    ChildJvm.Result result =
                            ChildJvm.program(
                                    List.of(flag, "-Xss144k", ChildJvm.NATIVE_ACCESS),
                                    SmallStackProbe.class,
                                    what,
                                    Long.toString(seed));
                    assertThat(result.exitCode()).describedAs("%s", result).isZero();
                    assertThat(result.out()).isEqualTo("{ok=200}\n");
                    assertThat(result.err()).isEmpty();
                });
    }
}
