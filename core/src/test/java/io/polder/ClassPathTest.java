package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.File;
import java.util.List;

/** The library works on the class path, too, in the unnamed module. */
class ClassPathTest {
    @Test
    void heap_onTheClassPath_works() {
        ChildJvm.Result result =
                ChildJvm.java(
                        List.of(
                                "--enable-native-access=ALL-UNNAMED",
                                "-cp",
                                ChildJvm.coreClasses()
                                        + File.pathSeparator
                                        + ChildJvm.testClasses(),
                                ClassPathProbe.class.getName()));
        assertThat(result.exitCode()).describedAs("%s", result).isZero();
        assertThat(result.out()).isEqualTo("named: false\nPIN: ok\nCLOSE: ok\n");
    }
}
