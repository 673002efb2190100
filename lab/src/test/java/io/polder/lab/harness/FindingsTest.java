package io.polder.lab.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** What measuring JVMs tell, and what is kept of it. */
class FindingsTest {
    private enum Kind {
        FEW,
        MANY
    }

    private record Inner(int rounds, Duration window) {
        @SuppressWarnings("UnusedMethod") // is none of the record's components, and is not told
        boolean isLong() {
            return rounds > 1;
        }
    }

    private record Task(Kind kind, long seed, double rate, Inner inner, @Nullable String library) {}

    private record Moment(Kind kind, Map<Kind, Long> values) {}

    @Test
    void task_asALine_isTheSame() {
        Task task =
                new Task(Kind.MANY, Long.MIN_VALUE, 0.1, new Inner(3, Duration.ofMillis(40)), null);

        assertThat(Wire.line(task)).doesNotContain("\n", "long");
        assertThat(Wire.read(Wire.line(task), Task.class)).isEqualTo(task);
        assertThatThrownBy(() -> Wire.read("{\"kind\":\"MANY\"}", Task.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("not a Task: line={\"kind\":\"MANY\"}");
    }

    @Test
    void accept_linesOfTwoJvms_isWhatTheyTold() {
        List<Double> progress = new ArrayList<>();
        Findings findings = new Findings(progress::add);
        Histogram nanos = Nanos.histogram();
        Nanos.record(nanos, 1000);
        Nanos.record(nanos, TimeUnit.DAYS.toNanos(1));
        Map<Kind, Long> values = new EnumMap<>(Map.of(Kind.FEW, 1L, Kind.MANY, 1L << 40));
        Moment moment = new Moment(Kind.FEW, values);

        for (int jvm = 0; jvm < 2; jvm++) {
            double first = jvm;
            tell(
                    findings,
                    parent -> {
                        parent.sample("x", 1 + first);
                        parent.sample("x", 5);
                        parent.count("y", 3);
                        parent.sample("y", 10.5);
                        parent.latencies("z", nanos);
                        parent.point(moment);
                        parent.text("map", "0x7f00  AB\n\"end\"\n");
                        parent.progress(0.5);
                    });
        }

        assertThat(findings.complete()).isZero();
        findings.accept("{\"end\":{}}");
        assertThat(findings.complete()).isEqualTo(1);
        assertThat(findings.samples("x")).containsExactly(1, 5, 2, 5);
        assertThat(findings.median("x")).isEqualTo(3.5);
        assertThat(findings.max("x")).isEqualTo(5);
        assertThat(findings.sum("x")).isEqualTo(13);
        assertThat(findings.ratio("y", "x").upper()).isGreaterThan(2);
        assertThat(findings.difference("y", "x").median()).isEqualTo(3.75);
        assertThat(findings.latencies("z").getTotalCount()).isEqualTo(4);
        assertThat(findings.latencies("z").getMaxValue())
                .isBetween(Nanos.MAX, Nanos.MAX + Nanos.MAX / 500);
        assertThat(findings.points(Moment.class)).containsExactly(moment, moment);
        assertThat(findings.text("map")).isEqualTo("0x7f00  AB\n\"end\"\n");
        assertThat(findings.text("none")).isEmpty();
        assertThat(progress).containsExactly(0.5, 0.5);
    }

    @Test
    void figures_nobodyMeasured_areRefused() {
        Findings findings = new Findings();
        findings.sample("two", 1);
        findings.sample("two", 1);
        findings.sample("one", 1);
        findings.point(new Inner(1, Duration.ZERO));

        assertThat(findings.has("one")).isTrue();
        assertThat(findings.has("none")).isFalse();
        assertThatThrownBy(() -> findings.samples("none"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a figure must have been measured: name=none, there=[one, two]");
        assertThatThrownBy(() -> findings.latencies("none"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> findings.difference("two", "one"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> findings.points(Moment.class))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "hello",
                "{}",
                "{\"sample\":{\"name\":\"x\"}}",
                "{\"sample\":{\"name\":\"x\",\"value\":\"many\"}}",
                "{\"sample\":{\"name\":\"x\",\"value\":\"NaN\"}}",
                "{\"sample\":{\"name\":\"x\",\"value\":null}}",
                "{\"latencies\":{\"name\":\"z\",\"nanos\":\"HISTF\"}}",
                "{\"latencies\":{\"name\":\"z\",\"nanos\":\"!\"}}",
                "{\"progress\":{\"share\":\"Infinity\"}}",
                "{\"other\":{}}",
                "{\"end\":{}} {\"end\":{}}"
            })
    void accept_somethingElse_isRefused(String line) {
        assertThatThrownBy(() -> new Findings().accept(line))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void turns_eachContenderOnceARound_inAnotherOrder() throws Exception {
        List<String> taken = new ArrayList<>();
        List<Double> shares = new ArrayList<>();

        new Turns<>(List.of(Kind.FEW, Kind.MANY), 50, new Random(1))
                .run(
                        (kind, round, done) -> {
                            taken.add(round + kind.name());
                            shares.add(done);
                        });

        assertThat(taken).hasSize(100).doesNotHaveDuplicates();
        for (int round = 0; round < 50; round++) {
            assertThat(taken.subList(2 * round, 2 * round + 2))
                    .containsExactlyInAnyOrder(round + "FEW", round + "MANY");
        }
        assertThat(taken.stream().filter(turn -> taken.indexOf(turn) % 2 == 0))
                .anyMatch(turn -> turn.endsWith("FEW"))
                .anyMatch(turn -> turn.endsWith("MANY"));
        assertThat(shares).isSorted().first().isEqualTo(0.0);
        assertThat(shares.getLast()).isEqualTo(0.99);
    }

    private interface Telling {
        void tell(Sampler parent);
    }

    private static void tell(Findings findings, Telling telling) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        telling.tell(
                new MeasuringMain.Telling(new PrintStream(bytes, true, StandardCharsets.UTF_8)));
        bytes.toString(StandardCharsets.UTF_8).lines().forEach(findings::accept);
    }
}
