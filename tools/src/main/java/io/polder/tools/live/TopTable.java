package io.polder.tools.live;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One view of all pools: a line each, the one with the most committed memory first, and on top a
 * line for all together, if there are several.
 */
final class TopTable {
    private static final String FORMAT = "%9s %9s %9s %9s  %-10s %10s %10s %7s %5s %6s  %s\n";
    private static final String OVERVIEW = "%9s %9s %9s %9s  %-10s %7s %5s %6s  %s\n";
    private static final int BAR = 10;

    private TopTable() {}

    /**
     * The view.
     *
     * @param title its first line
     * @param before the samples of the last view, for what has changed since; perhaps none
     * @param now what to show
     * @param rows how many lines fit
     * @param coloured whether to use colours
     */
    static String text(
            String title, List<Sample> before, List<Sample> now, int rows, boolean coloured) {
        StringBuilder out = new StringBuilder(title).append('\n');
        String head =
                FORMAT.formatted(
                        "used",
                        "committed",
                        "reserved",
                        "limit",
                        "used",
                        "commit/s",
                        "uncommit/s",
                        "blocks",
                        "heaps",
                        "leaks",
                        "pool");
        out.append(coloured ? Colours.BOLD + head.stripTrailing() + Colours.END + "\n" : head);
        Map<String, Sample> earlier = new HashMap<>();
        before.forEach(sample -> earlier.put(sample.label(), sample));
        int room = rows - 3;
        if (now.size() > 1) {
            line(out, Sample.total(now), Rates.all(earlier, now), coloured);
            room--;
        }
        int shown = now.size() <= Math.max(1, room) ? now.size() : Math.max(0, room - 1);
        sorted(now)
                .limit(shown)
                .forEach(sample -> line(out, sample, Rates.of(earlier, sample), coloured));
        if (shown < now.size()) {
            int more = now.size() - shown;
            out.append("... and ").append(more).append(more == 1 ? " pool" : " pools");
            out.append(" more\n");
        }
        return out.toString();
    }

    /**
     * All pools at one moment, without rates.
     *
     * @param now what to show
     */
    static String overview(List<Sample> now) {
        StringBuilder out = new StringBuilder();
        out.append(
                OVERVIEW.formatted(
                        "used",
                        "committed",
                        "reserved",
                        "limit",
                        "used",
                        "blocks",
                        "heaps",
                        "leaks",
                        "pool"));
        if (now.size() > 1) {
            overview(out, Sample.total(now));
        }
        sorted(now).forEach(sample -> overview(out, sample));
        return out.toString();
    }

    private static void overview(StringBuilder out, Sample now) {
        out.append(
                OVERVIEW.formatted(
                        size(now.usedBytes()),
                        size(now.committedBytes()),
                        size(now.reservedBytes()),
                        limit(now),
                        bar(now.usedBytes(), now.committedBytes()),
                        size(now.blockBytes()),
                        now.heaps(),
                        leaks(now),
                        now.label()));
    }

    /** The one with the most committed memory first. */
    static Stream<Sample> sorted(List<Sample> now) {
        return now.stream()
                .sorted(
                        Comparator.comparingLong(Sample::committedBytes)
                                .reversed()
                                .thenComparing(Sample::label));
    }

    static String limit(Sample now) {
        return now.committedMaxBytes() == Sample.NO_LIMIT ? "none" : size(now.committedMaxBytes());
    }

    static String leaks(Sample now) {
        return now.leaked() == Sample.NOT_WATCHED ? "off" : Long.toString(now.leaked());
    }

    /**
     * What was committed and given back since the last view.
     *
     * @param known false if there is no last view, or of another pool with that name
     */
    private record Rates(boolean known, double committed, double uncommitted) {
        private static final Rates UNKNOWN = new Rates(false, 0, 0);

        static Rates of(Map<String, Sample> earlier, Sample now) {
            Sample before = earlier.get(now.label());
            if (before == null || !now.follows(before)) {
                return UNKNOWN;
            }
            double seconds = (now.nanos() - before.nanos()) / 1e9;
            return new Rates(
                    true,
                    (now.committedTotalBytes() - before.committedTotalBytes()) / seconds,
                    (now.uncommittedTotalBytes() - before.uncommittedTotalBytes()) / seconds);
        }

        /** Of all pools together; those of which nothing is known do not count. */
        static Rates all(Map<String, Sample> earlier, List<Sample> now) {
            Rates sum = UNKNOWN;
            for (Sample sample : now) {
                Rates one = of(earlier, sample);
                sum =
                        new Rates(
                                sum.known || one.known,
                                sum.committed + one.committed,
                                sum.uncommitted + one.uncommitted);
            }
            return sum;
        }

        String text(double rate) {
            return known ? size((long) rate) : "-";
        }
    }

    private static void line(StringBuilder out, Sample now, Rates rates, boolean coloured) {
        out.append(
                FORMAT.formatted(
                        size(now.usedBytes()),
                        size(now.committedBytes()),
                        size(now.reservedBytes()),
                        limit(now),
                        bar(now.usedBytes(), now.committedBytes()),
                        rates.text(rates.committed()),
                        rates.text(rates.uncommitted()),
                        size(now.blockBytes()),
                        now.heaps(),
                        leaks(now),
                        coloured && now.leaked() > 0
                                ? Colours.DIRTY + now.label() + Colours.END
                                : now.label()));
    }

    /** How much of what is committed is in use. */
    static String bar(long used, long committed) {
        int filled = committed == 0 ? 0 : (int) Math.round((double) BAR * used / committed);
        return "#".repeat(filled) + ".".repeat(BAR - filled);
    }

    /** Up to five digits and a unit. */
    static String size(long bytes) {
        String[] units = {"B", "K", "M", "G", "T"};
        double value = bytes;
        int unit = 0;
        while (value >= 1000 && unit < units.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 || value >= 100
                ? Math.round(value) + units[unit]
                : String.format(Locale.ROOT, "%.1f%s", value, units[unit]);
    }
}
