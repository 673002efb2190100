package io.polder.agent.census;

import io.polder.agent.rewrite.Outcomes;

import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.function.IntToLongFunction;

/** A census as text, for people. */
final class CensusText {
    private static final int SITES_MAX = 30;

    private final CensusResult census;
    private final Outcomes.Summary classes;
    private final StringBuilder text = new StringBuilder();
    private final Formatter out = new Formatter(text, Locale.ROOT);

    private CensusText(CensusResult census, Outcomes.Summary classes) {
        this.census = census;
        this.classes = classes;
    }

    static String of(CensusResult census, Outcomes.Summary classes) {
        return new CensusText(census, classes).write();
    }

    private String write() {
        out.format(
                "Census of arenas: %.1f s, process %d, Java %s%n%n",
                census.seconds(), ProcessHandle.current().pid(), Runtime.version());
        totals();
        if (census.all().openedCount() == 0) {
            out.format(
                    "%nNo arena was opened by code that is counted. Methods that were running%n");
            out.format("when the census began are counted from their next call on.%n");
        } else {
            sizes();
            Row all = census.all();
            histogram(
                    "Closed arenas by number of allocations",
                    Buckets.allocationNames(),
                    all::count);
            histogram("By lifetime, estimated", Buckets.lifetimeNames(), all::lifetime);
            sites();
            served();
        }
        classes();
        return text.toString();
    }

    private void totals() {
        out.format(
                "%-10s %15s %15s %12s %18s %15s%n",
                "", "opened", "closed", "still open", "bytes", "allocations");
        total("confined", census.confined());
        total("shared", census.shared());
    }

    private void total(String name, Row row) {
        out.format(
                "%-10s %,15d %,15d %,12d %,18d %,15d%n",
                name,
                row.openedCount(),
                row.closedCount(),
                row.openedCount() - row.closedCount(),
                row.bytes(),
                row.allocations());
    }

    private void sizes() {
        Row all = census.all();
        long closed = all.closedCount();
        long bytes = all.bytes();
        out.format("%nClosed arenas by total bytes%n");
        out.format(
                "  %-12s %15s %8s %8s %18s %8s%n", "bytes", "arenas", "%", "sum %", "bytes", "%");
        List<String> names = Buckets.sizeNames();
        long sum = 0;
        for (int bucket = 0; bucket < Buckets.SIZES; bucket++) {
            long count = all.size(bucket);
            sum += count;
            if (count != 0) {
                out.format(
                        "  %-12s %,15d %8s %8s %,18d %8s%n",
                        names.get(bucket),
                        count,
                        percent(count, closed),
                        percent(sum, closed),
                        all.bytes(bucket),
                        percent(all.bytes(bucket), bytes));
            }
        }
    }

    private void histogram(String title, List<String> names, IntToLongFunction counts) {
        long whole = 0;
        for (int bucket = 0; bucket < names.size(); bucket++) {
            whole += counts.applyAsLong(bucket);
        }
        out.format("%n%s%n", title);
        for (int bucket = 0; bucket < names.size(); bucket++) {
            long count = counts.applyAsLong(bucket);
            if (count != 0) {
                out.format("  %-12s %,15d %8s%n", names.get(bucket), count, percent(count, whole));
            }
        }
    }

    private void sites() {
        List<CensusResult.Site> sites = census.sites();
        out.format("%nBy call site%n");
        out.format(
                "  %15s %12s %18s %-9s %-7s %s%n",
                "opened", "still open", "bytes", "kind", "pooling", "where");
        for (CensusResult.Site site : sites.subList(0, Math.min(SITES_MAX, sites.size()))) {
            Row row = site.counts();
            out.format(
                    "  %,15d %,12d %,18d %-9s %-7s %s%n",
                    row.openedCount(),
                    row.openedCount() - row.closedCount(),
                    row.bytes(),
                    site.site().confined() ? "confined" : "shared",
                    site.verdict().word(),
                    SiteTable.place(site.site()));
        }
        if (sites.size() > SITES_MAX) {
            out.format("  and %,d more, all of them in the JSON%n", sites.size() - SITES_MAX);
        }
    }

    private void served() {
        out.format("%nPooling%n");
        for (Verdict verdict : Verdict.values()) {
            if (census.sites().stream().anyMatch(site -> site.verdict() == verdict)) {
                out.format("  %-7s %s%n", verdict.word(), verdict.why());
            }
        }
        out.format(
                "  It serves %,d of the %,d arenas that allocated and were closed: %s %%%n",
                census.served(), census.used(), percent(census.served(), census.used()));
    }

    private void classes() {
        out.format(
                "%nClasses: %,d rewritten, %,d left as they are%n",
                classes.rewritten().size(), classes.leftCount());
        classes.left().forEach(line -> out.format("  %s%n", line));
    }

    /** With one digit behind the point; what is neither nothing nor all is not rounded to it. */
    static String percent(long part, long whole) {
        if (whole == 0) {
            return "-";
        }
        double percent = 100.0 * part / whole;
        if (part != 0 && percent < 0.05) {
            return "<0.1";
        }
        if (part != whole && percent >= 99.95) {
            return ">99.9";
        }
        return String.format(Locale.ROOT, "%.1f", percent);
    }
}
