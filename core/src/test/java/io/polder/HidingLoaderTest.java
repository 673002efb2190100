package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.stream.Stream;

/**
 * A class loader that hides packages of the JDK, or resources of the library, as those of OSGi
 * bundles and servers do.
 */
class HidingLoaderTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdk. javax. sun. com.sun.",
                "jdk.jfr.",
                "javax.management.",
                "javax.management.openmbean.",
                "io/polder/MemoryPool.class",
            })
    void hides_whatPoolsCanDoWithout_theyWorkAndSayNothing(String hidden) {
        ChildJvm.Result result =
                ChildJvm.program(
                        List.of(ChildJvm.NATIVE_ACCESS),
                        HidingLoaderProbe.class,
                        Stream.concat(
                                        Stream.of(ChildJvm.coreClasses().toString()),
                                        Stream.of(hidden.split(" ")))
                                .toArray(String[]::new));
        assertThat(result.exitCode()).describedAs("%s", result).isZero();
        assertThat(result.out()).isEqualTo("at rest\n");
        assertThat(result.err()).isEmpty();
    }
}
