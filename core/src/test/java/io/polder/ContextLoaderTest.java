package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Threads and what else lasts keep nothing of the application that was the first to need it. */
class ContextLoaderTest {
    @Test
    void firstUse_byApplicationsThatGo_keepsNoneOfTheirLoaders() {
        ChildJvm.Result result =
                ChildJvm.program(List.of(ChildJvm.NATIVE_ACCESS), ContextLoaderProbe.class);
        assertThat(result.out()).describedAs(result.err()).isEqualTo("14 loaders collected\n");
        assertThat(result.exitCode()).isZero();
    }
}
