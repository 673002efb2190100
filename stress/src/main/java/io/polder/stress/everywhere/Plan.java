package io.polder.stress.everywhere;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What is tried.
 *
 * @param only part of the names of the operations to try
 * @param kinds what is thrown
 * @param repeats how often
 * @param first the first point to try, counted from 1
 * @param last the last one; later ones are not tried
 * @param step how far apart points are, from 1 up
 * @param shownMax how many failures of an operation are shown in full
 */
public record Plan(
        String only,
        List<Kind> kinds,
        List<Repeat> repeats,
        long first,
        long last,
        long step,
        int shownMax) {

    /** Everything. */
    public static final Plan ALL =
            new Plan(
                    "", List.of(Kind.values()), List.of(Repeat.values()), 1, Long.MAX_VALUE, 1, 2);

    static final String USAGE =
            "[--only NAME] [--kind STACK|HEAP|ERROR|SYSTEM] [--repeat ONCE|TWICE|UNTIL_LEFT]"
                    + " [--point N] [--step N] [--shown N]";

    /**
     * Reads arguments.
     *
     * @throws IllegalArgumentException if one is unknown
     */
    public static Plan parse(String... arguments) {
        Plan plan = ALL;
        if (arguments.length % 2 != 0) {
            throw new IllegalArgumentException(USAGE);
        }
        for (int i = 0; i < arguments.length; i += 2) {
            plan = plan.with(arguments[i], arguments[i + 1]);
        }
        return plan;
    }

    private Plan with(String option, String value) {
        return switch (option) {
            case "--only" -> new Plan(value, kinds, repeats, first, last, step, shownMax);
            case "--kind" -> {
                List<Kind> some = new ArrayList<>();
                for (String each : value.toUpperCase(Locale.ROOT).split(",")) {
                    some.add(Kind.valueOf(each));
                }
                yield new Plan(only, some, repeats, first, last, step, shownMax);
            }
            case "--repeat" -> {
                List<Repeat> some = new ArrayList<>();
                for (String each : value.toUpperCase(Locale.ROOT).split(",")) {
                    some.add(Repeat.valueOf(each));
                }
                yield new Plan(only, kinds, some, first, last, step, shownMax);
            }
            case "--point" -> at(Long.parseLong(value));
            case "--step" ->
                    new Plan(only, kinds, repeats, first, last, Long.parseLong(value), shownMax);
            case "--shown" ->
                    new Plan(only, kinds, repeats, first, last, step, Integer.parseInt(value));
            default -> throw new IllegalArgumentException(USAGE);
        };
    }

    /** The same at one point alone. */
    Plan at(long point) {
        return new Plan(only, kinds, repeats, point, point, 1, shownMax);
    }
}
