package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A {@link StackOverflowError} in the middle of an arena's life hurts nobody: not in compiled code,
 * where frames are small and calls are few, and not in the interpreter, where each method is one.
 */
class DeepStackTest {
    private static final Pattern OUT =
            Pattern.compile("^intact: overflows=(\\d+), done=(\\d+)$", Pattern.MULTILINE);

    @Test
    void use_ofAllKindsNearTheEndOfTheStack_hurtsNobody() {
        check("-XX:TieredStopAtLevel=1", "20", "CONFINED SHARED DEFERRED");
    }

    @Test
    void use_ofFreeingArenasNearTheEndOfTheStack_losesBlocksUpToTheClose() {
        check("-XX:TieredStopAtLevel=1", "20", "CONFINED SHARED DEFERRED FREEING");
    }

    @Tag("full")
    @ParameterizedTest
    @CsvSource({
        "-Xint, 10, CONFINED",
        "-XX:TieredStopAtLevel=1, 40, CONFINED",
        "-XX:+TieredCompilation, 40, CONFINED",
        "-Xint, 10, SHARED",
        "-XX:TieredStopAtLevel=1, 20, SHARED",
        "-Xint, 10, DEFERRED",
        "-XX:TieredStopAtLevel=1, 30, DEFERRED",
        "-Xint, 10, FREEING",
        "-XX:TieredStopAtLevel=1, 30, CONFINED SHARED DEFERRED FREEING"
    })
    void use_nearTheEndOfTheStack_hurtsNobody(String flag, String threads, String kinds) {
        check(flag, threads, kinds);
    }

    private static void check(String flag, String threads, String kinds) {
        ChildJvm.Result result =
                ChildJvm.program(
                        List.of(
                                flag,
                                ChildJvm.NATIVE_ACCESS,
                                "-XX:+UseSerialGC",
                                "-Dpolder.mxbean=false"),
                        DeepStackProbe.class,
                        (threads + " " + kinds).split(" ", -1));
        assertThat(result.err()).isEmpty();
        assertThat(result.exitCode()).isZero();
        Matcher out = OUT.matcher(result.out());
        assertThat(out.find()).as(result.out()).isTrue();
        int count = Integer.parseInt(threads);
        assertThat(Integer.parseInt(out.group(1)))
                .as("overflows of the library: %s", result.out())
                .isGreaterThan(2 * count);
        assertThat(Integer.parseInt(out.group(2))).isGreaterThan(20 * count);
    }
}
