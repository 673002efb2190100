package io.polder.stress.everywhere;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * What is tried.
 *
 * @param only part of the names of the operations to try
 * @param kinds what is thrown
 * @param repeats how often
 * @param point the only point to try, counted from 1; 0 for all
 * @param most how many points of an operation are tried with one kind, evenly spread; from 1 up
 * @param shown how many failures of an operation are shown in full
 */
public record Plan(
        String only, List<Kind> kinds, List<Repeat> repeats, long point, long most, int shown) {

    /** Every point of everything. */
    public static final Plan ALL =
            new Plan("", List.of(Kind.values()), List.of(Repeat.values()), 0, Long.MAX_VALUE, 2);

    private static final int QUICK_MOST = 6;

    private static final String USAGE =
            "[--quick] [--only NAME] [--kind STACK,HEAP,ERROR,SYSTEM]"
                    + " [--repeat ONCE,TWICE,UNTIL_LEFT] [--point N] [--most N] [--shown N]";

    /**
     * Reads arguments.
     *
     * @throws IllegalArgumentException if one is unknown; says which there are
     */
    public static Plan parse(String... arguments) {
        Plan plan = ALL;
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].equals("--quick")) {
                plan = new Plan(plan.only, plan.kinds, plan.repeats, 0, QUICK_MOST, plan.shown);
            } else if (i + 1 < arguments.length) {
                plan = plan.with(arguments[i], arguments[i + 1]);
                i++;
            } else {
                throw new IllegalArgumentException(USAGE);
            }
        }
        return plan;
    }

    private Plan with(String option, String value) {
        return switch (option) {
            case "--only" -> new Plan(value, kinds, repeats, point, most, shown);
            case "--kind" ->
                    new Plan(only, some(value, Kind::valueOf), repeats, point, most, shown);
            case "--repeat" ->
                    new Plan(only, kinds, some(value, Repeat::valueOf), point, most, shown);
            case "--point" -> at(Long.parseLong(value));
            case "--most" -> new Plan(only, kinds, repeats, point, Long.parseLong(value), shown);
            case "--shown" -> new Plan(only, kinds, repeats, point, most, Integer.parseInt(value));
            default -> throw new IllegalArgumentException(USAGE);
        };
    }

    private static <T> List<T> some(String names, Function<String, T> valueOf) {
        List<T> some = new ArrayList<>();
        for (String name : names.toUpperCase(Locale.ROOT).split(",", -1)) {
            some.add(valueOf.apply(name));
        }
        return some;
    }

    private Plan at(long onlyPoint) {
        return new Plan(only, kinds, repeats, onlyPoint, most, shown);
    }

    /**
     * The points to try.
     *
     * @param of how many the operation has
     * @param seed says which of them, if not all
     */
    Points points(long of, int seed) {
        if (point > 0) {
            return Points.only(point);
        }
        return of <= most ? Points.ALL : Points.some(of, most, seed);
    }
}
