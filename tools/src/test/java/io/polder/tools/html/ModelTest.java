package io.polder.tools.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Scale;
import io.polder.tools.html.Bars.Spread;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.Latency.Curve;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.TimeLine.Mark;
import io.polder.tools.html.TimeLine.Point;

import org.HdrHistogram.Histogram;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

/** Charts as data: what they refuse, their tables, their scales. */
class ModelTest {
    private static final Caption CAPTION = new Caption("title", "note");

    @ParameterizedTest
    @CsvSource({
        "BYTES, 0, 0 B",
        "BYTES, 1023, 1023 B",
        "BYTES, 1536, 1.50 KiB",
        "BYTES, 10485760, 10.0 MiB",
        "BYTES, 1099511627776, 1.00 TiB",
        "NANOS, 4.25, 4.25 ns",
        "NANOS, 999, 999 ns",
        "NANOS, 12500, 12.5 µs",
        "NANOS, 1500000000, 1.50 s",
        "NANOS, 100000000000, 100 s",
        "COUNT, 12345, 12345",
        "COUNT, 1.5, 1.50",
        "TIMES, 5.473, 5.47×",
        "TIMES, 123.4, 123×",
        "SHARE, 0.376, 37.6\u00a0%"
    })
    void format_value_hasUnitAndThreeDigits(Unit unit, double value, String text) {
        assertThat(unit.format(value)).isEqualTo(text);
    }

    @Test
    void timeLine_table_hasAColumnForEachMark() {
        Line line = line(new Point(0, 0), new Point(1, 2048), new Point(2, 1024));
        TimeLine chart =
                new TimeLine(
                        CAPTION,
                        "s",
                        Unit.BYTES,
                        List.of(line),
                        List.of(new Mark(1.5, "peak"), new Mark(2, "end")));

        DataTable table = TimeLineData.table(chart);

        assertThat(table.columns())
                .extracting(DataTable.Column::title)
                .containsExactly("Line", "peak", "end");
        assertThat(table.rows()).containsExactly(List.of("a", "2.00 KiB", "1.00 KiB"));
    }

    @Test
    void timeLine_withoutMarks_hasFirstHighestAndLast() {
        Line line = line(new Point(0, 1), new Point(1, 7), new Point(2, 3));
        TimeLine chart = new TimeLine(CAPTION, "s", Unit.COUNT, List.of(line), List.of());

        assertThat(TimeLineData.table(chart).rows()).containsExactly(List.of("a", "1", "7", "3"));
    }

    @Test
    void line_thatGoesBack_isRefused() {
        assertThatThrownBy(() -> line(new Point(1, 0), new Point(0, 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("points go from left to right: name=a, index=1");
        assertThatThrownBy(() -> line())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a line has a point: name=a");
        assertThatThrownBy(() -> new TimeLine(CAPTION, "s", Unit.COUNT, List.of(), List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void curve_ofAHistogram_hasItsPercentiles() {
        Histogram nanos = new Histogram(3);
        for (int i = 1; i <= 1000; i++) {
            nanos.recordValue(i);
        }

        Curve curve = Curve.of("a", Tone.OURS, nanos);

        assertThat(curve.table()).containsExactly(500.0, 900.0, 990.0, 999.0, 1000.0, 1000.0);
        assertThat(curve.points()).hasSizeGreaterThan(20);
        assertThat(curve.points().getLast()).isEqualTo(new Latency.Point(100, 1000));
        assertThatThrownBy(() -> Curve.of("a", Tone.OURS, new Histogram(3)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a curve has recorded values: name=a");
    }

    @Test
    void ratios_areAsFarLeftAsRight() {
        BarScale scale = new BarScale(bars(Scale.RATIO, 0.25, 4));

        assertThat(scale.origin()).isEqualTo(50);
        assertThat(scale.at(2) - 50).isCloseTo(50 - scale.at(0.5), Offset.offset(1e-9));
        assertThat(scale.at(4)).isBetween(90.0, 100.0);
        assertThat(scale.ticks()).contains(1.0, 2.0, 0.5).doesNotContain(5.0, 0.2);
    }

    @Test
    void bars_withoutGoals_doNotSpeakOfThem() {
        Bar bar = new Bar("a", "", Tone.OURS, Bars.Spread.exactly(2), OptionalDouble.of(3));
        Bars bars = new Bars(new Caption("t", "Note."), Scale.RATIO, Unit.TIMES, List.of(bar));

        assertThat(bars.note()).isEqualTo("Note. A dotted line marks the goal.");
        assertThat(bars.withoutGoals().note()).isEqualTo("Note.");
        assertThat(bars.withoutGoals().bars().getFirst().goal()).isEmpty();
    }

    @Test
    void ratio_ofZero_isDrawnAsAVerySmallOne() {
        BarScale scale = new BarScale(bars(Scale.RATIO, 0, 2));

        assertThat(scale.at(0)).isBetween(0.0, 2.0);
        assertThat(scale.origin()).isGreaterThan(scale.at(0.5)).isLessThan(scale.at(2));
        assertThatThrownBy(() -> bars(Scale.RATIO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("there is a bar");
    }

    @Test
    void ratios_overManyPowers_haveTicksApart() {
        BarScale scale = new BarScale(bars(Scale.RATIO, 0.001, 5000));

        List<Double> places = scale.ticks().stream().map(scale::at).sorted().toList();
        assertThat(places).hasSizeGreaterThan(4);
        for (int i = 1; i < places.size(); i++) {
            assertThat(places.get(i) - places.get(i - 1)).isGreaterThanOrEqualTo(9);
        }
    }

    @Test
    void linear_beginsAtZeroInRoundSteps() {
        BarScale scale = new BarScale(bars(Scale.LINEAR, 0.9, 0.3));

        assertThat(scale.origin()).isZero();
        assertThat(scale.ticks()).startsWith(0.0, 0.2, 0.4).hasSize(5);
        assertThat(new BarScale(bars(Scale.LINEAR, 73_000)).ticks())
                .containsExactly(0.0, 20_000.0, 40_000.0, 60_000.0);
    }

    @Test
    void linear_ofZeros_isFinite() {
        BarScale scale = new BarScale(bars(Scale.LINEAR, 0));

        assertThat(scale.at(0)).isZero();
        assertThat(scale.ticks()).isNotEmpty().doesNotContain(Double.NaN);
    }

    @Test
    void table_withAShortRow_isRefused() {
        assertThatThrownBy(() -> DataTable.ofNumbers("c", List.of("a", "b"), List.of(List.of("1"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a row has one cell for each column: cells=1, columns=2");
    }

    @Test
    void folded_chart_isRefused() {
        Bars chart = bars(Scale.LINEAR, 1);

        assertThatThrownBy(() -> new Block.Folded("more", List.of(chart)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("charts are not folded: summary=more");
    }

    private static Line line(Point... points) {
        return new Line("a", Tone.OURS, List.of(points));
    }

    private static Bars bars(Scale scale, double... values) {
        List<Bar> bars =
                Arrays.stream(values)
                        .mapToObj(
                                value ->
                                        new Bar(
                                                "b",
                                                "",
                                                Tone.OURS,
                                                Spread.exactly(value),
                                                OptionalDouble.empty()))
                        .toList();
        return new Bars(CAPTION, scale, Unit.TIMES, bars);
    }
}
