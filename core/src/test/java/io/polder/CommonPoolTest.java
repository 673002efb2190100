package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The pool of a process, under the settings and flags that a user may give it. */
@EnabledOnOs(OS.LINUX)
class CommonPoolTest {
    private static final String ALLOWED = "--enable-native-access=ALL-UNNAMED";
    private static final String SIZE = "-Dpolder.confined.slab.size=";
    private static final String COUNT = "-Dpolder.confined.slab.count=";

    @Test
    void start_nothingSet_poolsAndSaysNothing() {
        assertQuiet(
                probe(ALLOWED),
                "works=true pooled=true bytes=16384 count=8 slabs=true provider=linux");
    }

    @ParameterizedTest
    @CsvSource({"1048576, 64, true", "0, 8, false"})
    void start_extremeSettings_poolsUnlessOneIsZeroAndSaysNothing(
            String size, String count, boolean pooled) {
        assertQuiet(
                probe(ALLOWED, SIZE + size, COUNT + count),
                "works=true pooled=%s bytes=%s count=%s slabs=%s provider=linux"
                        .formatted(pooled, size, count, pooled));
    }

    @Tag("full")
    @ParameterizedTest
    @CsvSource({"2048, 1, true", "16384, 0, false"})
    void start_otherExtremeSettings_poolsUnlessOneIsZeroAndSaysNothing(
            String size, String count, boolean pooled) {
        start_extremeSettings_poolsUnlessOneIsZeroAndSaysNothing(size, count, pooled);
    }

    @Test
    void start_absurdSize_usesTheDefaultAndWarnsOnce() {
        ChildJvm.Result result = probe(ALLOWED, SIZE + "banana");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .startsWith("works=true pooled=true bytes=16384 count=8 slabs=true");
        assertThat(warnings(result))
                .containsExactly(
                        "WARNING: polder.confined.slab.size must be 0 (off) or a power of two"
                                + " from 2048 to 1048576: value=banana; using 16384");
        assertThat(result.err()).contains("io.polder.PoolBackground");
    }

    @Test
    void start_providerThatThereIsNot_usesTheSystemsAndWarnsOnce() {
        ChildJvm.Result result = probe(ALLOWED, "-Dpolder.provider=foo");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).startsWith("works=true pooled=true");
        assertThat(warnings(result))
                .containsExactly(
                        "WARNING: polder.provider must be plain, if it is set: value=foo;"
                                + " the provider of this system is used");
    }

    @Test
    void start_fenceThatThereIsNot_isAutoAndWarnsOnce() {
        ChildJvm.Result result = probe(ALLOWED, "-Dpolder.gate.fence=none");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).startsWith("works=true pooled=true");
        assertThat(warnings(result))
                .containsExactly(
                        "WARNING: polder.gate.fence must be one of auto, handshake: value=none;"
                                + " using auto");
    }

    @Tag("full")
    @Test
    void start_bothAbsurd_warnsOfEach() {
        ChildJvm.Result result = probe(ALLOWED, SIZE + "-4096", COUNT + "");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .startsWith("works=true pooled=true bytes=16384 count=8 slabs=true");
        assertThat(warnings(result))
                .containsExactly(
                        "WARNING: polder.confined.slab.size must be 0 (off) or a power of two"
                                + " from 2048 to 1048576: value=-4096; using 16384",
                        "WARNING: polder.confined.slab.count must be 0 (off) or a power of two"
                                + " from 1 to 64: value=; using 8");
    }

    @Test
    void start_noFlagForNativeAccess_poolsAndOnlyTheJvmWarns() {
        ChildJvm.Result result = probe();
        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .startsWith("works=true pooled=true bytes=16384 count=8 slabs=true");
        assertThat(result.err()).contains("A restricted method").doesNotContain("pooled");
    }

    @Test
    void start_nativeAccessDenied_usesTheJdksArenasAndWarnsOnce() {
        ChildJvm.Result result = probe("--illegal-native-access=deny");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .startsWith("works=true pooled=false")
                .contains("slabs=false provider=plain");
        assertThat(warnings(result))
                .containsExactly(
                        "WARNING: arenas are the JDK's, not pooled: native access is denied:"
                                + " start Java with --enable-native-access=ALL-UNNAMED");
    }

    @Tag("full")
    @Test
    void start_nativeAccessDeniedAndOff_saysNothing() {
        assertQuiet(
                probe("--illegal-native-access=deny", SIZE + "0"),
                "works=true pooled=false bytes=0 count=8 slabs=false provider=plain");
    }

    @Test
    void start_asAModule_poolsAndSaysNothing() {
        assertQuiet(
                ChildJvm.java(
                        List.of(
                                "--module-path",
                                ChildJvm.coreClasses().toString(),
                                "--patch-module",
                                "io.polder=" + ChildJvm.testClasses(),
                                "--enable-native-access=io.polder",
                                "--illegal-native-access=deny",
                                "--module",
                                "io.polder/io.polder.PoolProbe")),
                "works=true pooled=true bytes=16384 count=8 slabs=true provider=linux");
    }

    private static ChildJvm.Result probe(String... flags) {
        List<String> arguments = new ArrayList<>(List.of(flags));
        arguments.add("-Duser.language=en"); // the logger translates the names of its levels
        return ChildJvm.program(arguments, PoolProbe.class);
    }

    private static void assertQuiet(ChildJvm.Result result, String out) {
        assertThat(result.err()).isEmpty();
        assertThat(result.out().strip()).isEqualTo(out);
        assertThat(result.exitCode()).isZero();
    }

    private static List<String> warnings(ChildJvm.Result result) {
        return Arrays.stream(result.err().split("\n", -1))
                .filter(line -> line.startsWith("WARNING: "))
                .toList();
    }
}
