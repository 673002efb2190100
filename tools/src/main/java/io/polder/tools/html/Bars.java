package io.polder.tools.html;

import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * Figures beside each other, each with its spread and the goal it was to reach.
 *
 * @param caption what it shows
 * @param scale where bars begin
 * @param unit of all figures
 * @param bars from top to bottom; neighbours with the same label belong together
 */
public record Bars(Caption caption, Scale scale, Unit unit, List<Bar> bars) implements Chart {
    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException if there is no bar
     */
    public Bars {
        bars = List.copyOf(bars);
        if (bars.isEmpty()) {
            throw new IllegalArgumentException("there is a bar: caption=" + caption);
        }
    }

    /** Where bars begin, and how their length follows from the value. */
    public enum Scale {
        /** At zero, as long as the value. */
        LINEAR,
        /** At 1, to the right for more and to the left for less, twice as far for the square. */
        RATIO
    }

    /**
     * A figure and its quartiles.
     *
     * @param lower a quarter of what was measured is below; the value if nobody knows
     * @param upper a quarter of what was measured is above; the value if nobody knows
     */
    public record Spread(double lower, double value, double upper) {
        /** A figure without a spread. */
        public static Spread exactly(double value) {
            return new Spread(value, value, value);
        }

        boolean isKnown() {
            return lower < upper;
        }
    }

    /**
     * A bar.
     *
     * @param what was measured
     * @param whose of whom, or against whom; {@link Term#NONE} where there is nobody else
     * @param tone of the bar
     * @param spread the figure
     * @param goal which it was to reach, from below
     */
    public record Bar(Term what, Term whose, Tone tone, Spread spread, OptionalDouble goal) {
        /** A bar with names that say it all. */
        public Bar(String label, String who, Tone tone, Spread spread, OptionalDouble goal) {
            this(Term.of(label), Term.of(who), tone, spread, goal);
        }

        /** The name of what was measured. */
        public String label() {
            return what.name();
        }

        /** The name of whose it is; may be empty. */
        public String who() {
            return whose.name();
        }

        private Bar withoutGoal() {
            return new Bar(what, whose, tone, spread, OptionalDouble.empty());
        }
    }

    @Override
    public List<Term> terms() {
        return bars.stream()
                .flatMap(bar -> Stream.of(bar.what(), bar.whose()))
                .filter(term -> !term.name().isEmpty())
                .distinct()
                .toList();
    }

    @Override
    public Bars withoutGoals() {
        return new Bars(caption, scale, unit, bars.stream().map(Bar::withoutGoal).toList());
    }

    /** How to read it; dotted lines are explained where there are any. */
    @Override
    public String note() {
        boolean goals = bars.stream().anyMatch(bar -> bar.goal().isPresent());
        return (caption.note() + (goals ? " A dotted line marks the goal." : "")).strip();
    }
}
