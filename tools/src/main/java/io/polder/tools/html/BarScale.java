package io.polder.tools.html;

import io.polder.tools.html.Bars.Bar;
import io.polder.tools.html.Bars.Scale;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where values lie between the left and the right end of a chart of bars, in percent.
 *
 * <pre>{@code
 *   LINEAR    0 %: 0                                        100 %: a little more than the largest
 *   RATIO     0 %: a little less than the least    1        100 %: a little more than the largest
 * }</pre>
 */
final class BarScale {
    /** What ticks may stand at: one of these times a power of ten. */
    private static final List<Double> STEPS = List.of(1.0, 2.0, 5.0);

    private static final List<Double> FINE_STEPS = List.of(1.5, 3.0, 7.0);
    private static final List<Double> FINEST_STEPS = List.of(1.1, 1.2, 8.0, 9.0);

    /** With fewer ticks, finer steps are tried. A guess. */
    private static final int TICKS_MIN = 4;

    /** Ticks closer than this are not told apart. In percent; a guess. */
    private static final double TICK_DISTANCE = 9;

    /** So many steps of a linear scale at least. */
    private static final int STEPS_MIN = 3;

    /** Smaller ratios, zero among them, are drawn as this one. */
    private static final double RATIO_MIN = 0.001;

    private static final double MARGIN = 1.06;

    private final Scale scale;
    private final double least;
    private final double most;

    BarScale(Bars bars) {
        scale = bars.scale();
        double low = 1;
        double high = scale == Scale.RATIO ? 1 : 0;
        for (Bar bar : bars.bars()) {
            low = Math.min(low, Math.min(bar.spread().lower(), bar.goal().orElse(low)));
            high = Math.max(high, Math.max(bar.spread().upper(), bar.goal().orElse(high)));
        }
        least = scale == Scale.RATIO ? Math.log(Math.max(low, RATIO_MIN) / MARGIN) : 0;
        most = scale == Scale.RATIO ? Math.log(high * MARGIN) : Math.max(high * MARGIN, 1e-9);
    }

    /** Where bars begin. */
    double origin() {
        return at(scale == Scale.RATIO ? 1 : 0);
    }

    /** Where a value lies. */
    double at(double value) {
        double place = scale == Scale.RATIO ? Math.log(Math.max(value, RATIO_MIN)) : value;
        return Math.clamp(100 * (place - least) / (most - least), 0, 100);
    }

    /** Round values, far enough from each other. */
    List<Double> ticks() {
        return scale == Scale.RATIO ? ratios() : steps();
    }

    /** The one comes first, others as far as there is room; finer ones only if there are few. */
    private List<Double> ratios() {
        List<Double> ticks = new ArrayList<>(List.of(1.0));
        for (List<Double> steps : List.of(STEPS, FINE_STEPS, FINEST_STEPS)) {
            if (ticks.size() < TICKS_MIN) {
                for (double power = 1; power < Math.exp(most); power *= 10) {
                    for (double step : steps) {
                        addTick(ticks, power * step);
                    }
                }
                for (double power = 0.1; power > Math.exp(least) / 10; power /= 10) {
                    for (double step : steps.reversed()) {
                        addTick(ticks, power * step);
                    }
                }
            }
        }
        return ticks;
    }

    private void addTick(List<Double> ticks, double value) {
        boolean inside = value > Math.exp(least) && value < Math.exp(most);
        boolean room =
                ticks.stream().allMatch(tick -> Math.abs(at(tick) - at(value)) >= TICK_DISTANCE);
        if (inside && room) {
            ticks.add(value);
        }
    }

    /** From zero, in the largest round step that makes at least three. */
    private List<Double> steps() {
        double power = Math.pow(10, Math.floor(Math.log10(most)));
        double step =
                STEPS.reversed().stream()
                        .flatMap(round -> Stream.of(round * power, round * power / 10))
                        .filter(candidate -> most / candidate >= STEPS_MIN)
                        .max(Comparator.naturalOrder())
                        .orElse(power / 10);
        List<Double> ticks = new ArrayList<>();
        for (int i = 0; i * step <= most; i++) {
            ticks.add(i * step);
        }
        return ticks;
    }
}
