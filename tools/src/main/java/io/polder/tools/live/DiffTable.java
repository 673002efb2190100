package io.polder.tools.live;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What pools hold, and by how much that is more or less than before: a line each. */
final class DiffTable {
    private static final String FORMAT = "%9s %9s %9s %9s %9s %9s %6s  %s\n";

    private DiffTable() {}

    /** A pool that held nothing. */
    static Sample nothing(String label) {
        return new Sample(label, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    }

    static String text(List<Sample> before, List<Sample> now) {
        StringBuilder out = new StringBuilder();
        out.append(
                FORMAT.formatted(
                        "used",
                        "change",
                        "committed",
                        "change",
                        "reserved",
                        "change",
                        "leaks",
                        "pool"));
        Map<String, Sample> earlier = new HashMap<>();
        before.forEach(pool -> earlier.put(pool.label(), pool));
        if (now.size() > 1 || before.size() > 1) {
            line(out, Sample.total(before), Sample.total(now), "");
        }
        Set<String> left = new HashSet<>(earlier.keySet());
        TopTable.sorted(now)
                .forEach(
                        pool -> {
                            boolean known = left.remove(pool.label());
                            Sample then = earlier.getOrDefault(pool.label(), nothing(pool.label()));
                            line(out, then, pool, known ? "" : " (new)");
                        });
        TopTable.sorted(before)
                .filter(pool -> left.contains(pool.label()))
                .forEach(pool -> line(out, pool, nothing(pool.label()), " (gone)"));
        return out.toString();
    }

    private static void line(StringBuilder out, Sample then, Sample now, String remark) {
        out.append(
                FORMAT.formatted(
                        TopTable.size(now.usedBytes()),
                        change(now.usedBytes() - then.usedBytes()),
                        TopTable.size(now.committedBytes()),
                        change(now.committedBytes() - then.committedBytes()),
                        TopTable.size(now.reservedBytes()),
                        change(now.reservedBytes() - then.reservedBytes()),
                        now.leaked() == Sample.NOT_WATCHED
                                ? "off"
                                : count(now.leaked() - Math.max(0, then.leaked())),
                        now.label() + remark));
    }

    /** With its sign; of a pool that is gone it is less than before. */
    private static String count(long change) {
        return (change < 0 ? "" : "+") + change;
    }

    /** With its sign; nothing where nothing has changed. */
    static String change(long bytes) {
        if (bytes == 0) {
            return "";
        }
        return (bytes > 0 ? "+" : "-") + TopTable.size(Math.abs(bytes));
    }
}
