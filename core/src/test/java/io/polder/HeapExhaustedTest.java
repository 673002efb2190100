package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Java heap is full while arenas are used: nothing that they took of native memory is lost. */
@Tag("full")
class HeapExhaustedTest {
    private static final Pattern OUT =
            Pattern.compile("^intact: failed=(\\d+), passed=(\\d+)$", Pattern.MULTILINE);

    @ParameterizedTest
    @EnumSource(HeapExhaustedProbe.Use.class)
    void use_heapIsFull_losesNothing(HeapExhaustedProbe.Use use) {
        ChildJvm.Result result =
                ChildJvm.program(
                        List.of(
                                "-Xmx12m",
                                "-XX:+UseSerialGC",
                                "-XX:-UseTLAB",
                                ChildJvm.NATIVE_ACCESS,
                                "-Dpolder.mxbean=false"),
                        HeapExhaustedProbe.class,
                        use.name());
        assertThat(result.err()).isEmpty();
        assertThat(result.exitCode()).isZero();
        Matcher out = OUT.matcher(result.out());
        assertThat(out.find()).as(result.out()).isTrue();
        assertThat(Integer.parseInt(out.group(1))).as("too little heap").isGreaterThan(5);
        assertThat(Integer.parseInt(out.group(2))).as("enough").isGreaterThan(10);
    }
}
