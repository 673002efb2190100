package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/**
 * The first use of Polder in a process comes near the end of a stack, in {@link DeepFirstUseProbe}:
 * it may fail, but decides nothing for those that come after it.
 */
@EnabledOnOs(OS.LINUX)
@Tag("full")
class DeepFirstUseTest {

    @ParameterizedTest
    @ValueSource(ints = {2, 60, 105, 110, 125, 160, 300})
    void firstArena_nearTheEndOfAStack_isTheOnlyOneThatFails(int framesLeft) {
        assertThat(probe("arena", framesLeft).out()).contains("then: ok\n");
    }

    /** The first of all, with memory of the JDK's. */
    @ParameterizedTest
    @ValueSource(ints = {2, 60, 105, 110, 125, 160, 300})
    void beginning_nearTheEndOfAStack_isTheOnlyOneThatFails(int framesLeft) {
        assertThat(probe("beginning", framesLeft).out()).contains("then: ok\n");
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 60, 110, 170, 250})
    void firstPool_nearTheEndOfAStack_isTheOnlyOneThatFails(int framesLeft) {
        assertThat(probe("pool", framesLeft).out()).contains("then: ok\n");
    }

    @ParameterizedTest
    @CsvSource({
        "deferred, 60", "deferred, 110", "deferred, 200", "deferred, 400",
        "page, 60", "page, 110", "page, 200", "page, 400",
        "heap, 60", "heap, 110", "heap, 200", "heap, 400"
    })
    void firstUse_nearTheEndOfAStack_isTheOnlyOneThatFails(String what, int framesLeft) {
        assertThat(probe(what, framesLeft).out()).contains("then: ok\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lists", "compact", "close", "arena", "trace"})
    void uses_nearTheEndOfAStack_leaveTheStreamsOfTheJdk(String what) {
        ChildJvm.Result result =
                ChildJvm.program(List.of(ChildJvm.NATIVE_ACCESS), DeepListProbe.class, what);
        assertThat(result.out()).contains("done: true\n", "streams: [2]\n");
    }

    private static ChildJvm.Result probe(String what, int framesLeft) {
        ChildJvm.Result result =
                ChildJvm.program(
                        List.of(ChildJvm.NATIVE_ACCESS),
                        DeepFirstUseProbe.class,
                        what,
                        Integer.toString(framesLeft));
        assertThat(result.exitCode()).describedAs("%s", result).isZero();
        return result;
    }
}
