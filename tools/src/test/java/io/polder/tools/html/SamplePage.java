package io.polder.tools.html;

import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Scale;
import io.polder.tools.html.Bars.Spread;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.DataTable.Column;
import io.polder.tools.html.DataTable.Kind;
import io.polder.tools.html.Latency.Curve;
import io.polder.tools.html.MemoryMap.Panel;
import io.polder.tools.html.MemoryMap.Piece;
import io.polder.tools.html.MemoryMap.State;
import io.polder.tools.html.Page.Section;
import io.polder.tools.html.TimeLine.Line;
import io.polder.tools.html.TimeLine.Mark;
import io.polder.tools.html.TimeLine.Point;

import org.HdrHistogram.Histogram;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;

/** A page with everything that a page can have, and with whatever names it is given. */
final class SamplePage {
    private static final int POINTS = 60;

    private SamplePage() {}

    /** A page in which every name is this one. */
    static Page named(String name) {
        List<Block> blocks = new ArrayList<>();
        blocks.add(timeLine(name));
        blocks.add(marked(name));
        blocks.add(latency(name));
        blocks.add(ratios(name));
        blocks.add(shares(name));
        blocks.add(map(name));
        blocks.add(goals(name));
        blocks.add(new Block.Facts(List.of(new Block.Fact(name, name))));
        blocks.add(new Block.Folded(name, List.of(new Block.Text(name))));
        return new Page(
                name,
                name,
                List.of(name),
                List.of(
                        new Section("one", name, name, name, blocks, name),
                        new Section("two", name, name, name, List.of(new Block.Text(name)))));
    }

    private static Chart timeLine(String name) {
        return new TimeLine(
                new Caption(name, name),
                name,
                Unit.BYTES,
                List.of(
                        line(explained(name), Tone.GROUND, x -> 40e6 * (1 + Math.sin(x / 9))),
                        line(Term.of(name), Tone.A, x -> 90e6 + 3e5 * x),
                        line(Term.of(name), Tone.OURS, x -> 45e6 * (1 + Math.sin(x / 9)))),
                List.of());
    }

    private static Chart marked(String name) {
        return new TimeLine(
                new Caption(name, name),
                name,
                Unit.COUNT,
                List.of(
                        line(explained(name), Tone.OURS, x -> x * x),
                        line(Term.of(name), Tone.B, x -> 7)),
                List.of(new Mark(20, name), new Mark(POINTS - 1, name)));
    }

    private static Term explained(String name) {
        return new Term(name, name);
    }

    private static Line line(Term what, Tone tone, DoubleUnaryOperator y) {
        List<Point> points = new ArrayList<>();
        for (int x = 0; x < POINTS; x++) {
            points.add(new Point(x, y.applyAsDouble(x)));
        }
        return new Line(what, tone, points);
    }

    private static Chart latency(String name) {
        Histogram fast = new Histogram(3);
        Histogram slow = new Histogram(3);
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            fast.recordValue(50 + (long) Math.exp(random.nextGaussian() + 4));
            slow.recordValue(500 + (long) Math.exp(2 * random.nextGaussian() + 6));
        }
        slow.recordValue(20_000_000_000L);
        return new Latency(
                new Caption(name, name),
                List.of(Curve.of(name, Tone.OURS, fast), Curve.of(name, Tone.C, slow)));
    }

    private static Chart ratios(String name) {
        return new Bars(
                new Caption(name, name),
                Scale.RATIO,
                Unit.TIMES,
                List.of(
                        bar(name, 0.4, OptionalDouble.of(1)),
                        bar(name, 5.5, OptionalDouble.of(6)),
                        bar(name + "!", 22, OptionalDouble.empty())));
    }

    private static Chart shares(String name) {
        return new Bars(
                new Caption(name, name),
                Scale.LINEAR,
                Unit.SHARE,
                List.of(new Bar(name, "", Tone.OURS, Spread.exactly(0.9), OptionalDouble.empty())));
    }

    private static Bar bar(String name, double value, OptionalDouble goal) {
        Spread spread = new Spread(value * 0.9, value, value * 1.2);
        return new Bar(explained(name), Term.of(name), Tone.OURS, spread, goal);
    }

    private static Chart map(String name) {
        List<Piece> before = new ArrayList<>();
        List<Piece> after = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            before.add(new Piece(State.USED, 4096L << i % 5));
            after.add(new Piece(i % 3 == 0 ? State.USED : State.BARE, 4096L << i % 5));
        }
        after.add(new Piece(State.FREE, 4 << 20));
        after.add(new Piece(State.DIRTY, 1 << 20));
        after.add(new Piece(State.ISOLATED, 1 << 20));
        return new MemoryMap(
                new Caption(name, name), List.of(Panel.of(name, before), Panel.of(name, after)));
    }

    private static DataTable goals(String name) {
        return new DataTable(
                name,
                List.of(
                        new Column(name, Kind.WORDS),
                        new Column(name, Kind.NUMBER),
                        new Column(name, Kind.VERDICT)),
                List.of(
                        List.of(name, "5.5", DataTable.REACHED),
                        List.of(name, name, DataTable.MISSED),
                        List.of(name, "", "")));
    }
}
