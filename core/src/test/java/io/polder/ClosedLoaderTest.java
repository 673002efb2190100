package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/** What becomes of a copy whose class loader is closed, so that it gets no class any more. */
class ClosedLoaderTest {
    /** Nothing is said of classes that are missed: whoever closed the loader knows why. */
    @ParameterizedTest
    @ValueSource(strings = {"closes", "stays"})
    void closed_rightAfterAPoolWasUsed_rests(String pool) {
        ChildJvm.Result result =
                ChildJvm.program(
                        List.of(ChildJvm.NATIVE_ACCESS),
                        ClosedLoaderProbe.class,
                        pool,
                        ChildJvm.coreClasses().toString());
        assertThat(result.exitCode()).describedAs("%s", result).isZero();
        assertThat(result.out()).isEqualTo("at rest\n");
        assertThat(result.err()).isEmpty();
    }
}
