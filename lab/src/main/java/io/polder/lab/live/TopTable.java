package io.polder.lab.live;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One view of all pools: a line each, the one with the most committed memory first, and all
 * together on top.
 */
final class TopTable {
    private static final String FORMAT = "%9s %9s %9s %9s  %-10s %10s %10s %5s %6s  %s\n";
    private static final int BAR = 10;
    private static final long ADDRESS_SPACE = 1L << 47;

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
                        "heaps",
                        "leaks",
                        "pool");
        out.append(coloured ? Colours.BOLD + head.stripTrailing() + Colours.END + "\n" : head);
        Map<String, Sample> earlier = new HashMap<>();
        before.forEach(sample -> earlier.put(sample.label(), sample));
        int room = Math.max(1, rows - 3);
        boolean all = now.size() <= room;
        now.stream()
                .sorted(
                        Comparator.comparingLong(Sample::committedBytes)
                                .reversed()
                                .thenComparing(Sample::label))
                .limit(all ? room : room - 1)
                .forEach(sample -> line(out, earlier.get(sample.label()), sample, coloured));
        if (!all) {
            out.append("... and ").append(now.size() - (room - 1)).append(" pools more\n");
        }
        return out.toString();
    }

    private static void line(
            StringBuilder out, @Nullable Sample before, Sample now, boolean coloured) {
        out.append(
                FORMAT.formatted(
                        size(now.usedBytes()),
                        size(now.committedBytes()),
                        size(now.reservedBytes()),
                        now.committedMaxBytes() >= ADDRESS_SPACE
                                ? "none"
                                : size(now.committedMaxBytes()),
                        bar(now.usedBytes(), now.committedBytes()),
                        before == null
                                ? "-"
                                : rate(
                                        before.committedTotalBytes(),
                                        now.committedTotalBytes(),
                                        now.nanos() - before.nanos()),
                        before == null
                                ? "-"
                                : rate(
                                        before.uncommittedTotalBytes(),
                                        now.uncommittedTotalBytes(),
                                        now.nanos() - before.nanos()),
                        now.heaps(),
                        now.leaked(),
                        coloured && now.leaked() > 0
                                ? Colours.DIRTY + now.label() + Colours.END
                                : now.label()));
    }

    /** How much of what is committed is in use. */
    static String bar(long used, long committed) {
        int filled = committed == 0 ? 0 : (int) Math.round((double) BAR * used / committed);
        return "#".repeat(filled) + ".".repeat(BAR - filled);
    }

    private static String rate(long before, long now, long nanos) {
        return nanos <= 0 ? "-" : size((long) ((now - before) * 1e9 / nanos));
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
