package io.polder.agent.census;

import io.polder.agent.rewrite.Outcomes;

import java.util.List;
import java.util.function.IntToLongFunction;

/** A census as text, for people. */
final class CensusText {
    private static final int SITES_MAX = 30;

    private static final int NAME = 12;
    private static final int COUNT = 15;
    private static final int BYTES = 18;
    private static final int PERCENT = 8;

    private final CensusResult census;
    private final Outcomes.Summary classes;
    private final Columns out = new Columns();

    private final Pooled pooled;

    private CensusText(CensusResult census, Outcomes.Summary classes, Pooled pooled) {
        this.census = census;
        this.pooled = pooled;
        this.classes = classes;
    }

    static String of(CensusResult census, Outcomes.Summary classes, Pooled pooled) {
        return new CensusText(census, classes, pooled).write();
    }

    private String write() {
        out.plain("Census of arenas: ").plain(Columns.tenths(census.millis() / 100));
        out.plain(" s, process " + ProcessHandle.current().pid());
        out.plain(", Java ").plain(Runtime.version().toString()).line().line();
        totals();
        if (census.all().openedCount() == 0) {
            nothing();
        } else {
            sizes();
            openSizes();
            Row all = census.all();
            histogram(
                    "Closed arenas by number of allocations",
                    Buckets.allocationNames(),
                    all::count);
            histogram("By lifetime, estimated", Buckets.lifetimeNames(), all::lifetime);
            unmeasured(all.closedCount() - all.lifetimes());
            sites();
            served();
        }
        classes();
        return out.toString();
    }

    private void totals() {
        out.left("", NAME).right("opened", COUNT).right("closed", COUNT);
        out.right("still open", NAME).right("open bytes", BYTES).right("closed bytes", BYTES);
        out.right("allocations", COUNT).line();
        total("confined", census.confined());
        total("shared", census.shared());
    }

    private void total(String name, Row row) {
        out.left(name, NAME).right(row.openedCount(), COUNT).right(row.closedCount(), COUNT);
        out.right(row.openedCount() - row.closedCount(), NAME).right(row.openBytes(), BYTES);
        out.right(row.bytes(), BYTES).right(row.allocations(), COUNT).line();
    }

    private void nothing() {
        out.line().plain("No arena was opened by code that is counted. Methods that were").line();
        out.plain("running when the census began are counted from their next call on.").line();
        out.plain("For a loop in main, start the program with it: polder run --census java ...");
        out.line();
        out.plain("Arenas of MemoryPool are not counted: polder report shows them.").line();
    }

    private void sizes() {
        Row all = census.all();
        long closed = all.closedCount();
        long bytes = all.bytes();
        out.line().plain("Closed arenas by total bytes").line();
        out.plain("  ").left("bytes", NAME).right("arenas", COUNT).right("%", PERCENT);
        out.right("sum %", PERCENT).right("bytes", BYTES).right("%", PERCENT).line();
        List<String> names = Buckets.sizeNames();
        long sum = 0;
        for (int bucket = 0; bucket < Buckets.SIZES; bucket++) {
            long count = all.size(bucket);
            sum += count;
            if (count != 0) {
                out.plain("  ").left(names.get(bucket), NAME).right(count, COUNT);
                out.right(Columns.percent(count, closed), PERCENT);
                out.right(Columns.percent(sum, closed), PERCENT);
                out.right(all.bytes(bucket), BYTES);
                out.right(Columns.percent(all.bytes(bucket), bytes), PERCENT).line();
            }
        }
    }

    /** What is open still, if anything is. */
    private void openSizes() {
        Row all = census.all();
        long open = all.openedCount() - all.closedCount();
        if (open <= 0) {
            return;
        }
        out.line().plain("Arenas still open, by what they have").line();
        List<String> names = Buckets.sizeNames();
        for (int bucket = 0; bucket < Buckets.SIZES; bucket++) {
            long count = all.openSize(bucket);
            if (count != 0) {
                out.plain("  ").left(names.get(bucket), NAME).right(count, COUNT);
                out.right(Columns.percent(count, open), PERCENT).line();
            }
        }
    }

    private void histogram(String title, List<String> names, IntToLongFunction counts) {
        long whole = census.all().closedCount();
        out.line().plain(title).line();
        for (int bucket = 0; bucket < names.size(); bucket++) {
            long count = counts.applyAsLong(bucket);
            if (count != 0) {
                out.plain("  ").left(names.get(bucket), NAME).right(count, COUNT);
                out.right(Columns.percent(count, whole), PERCENT).line();
            }
        }
    }

    /** Arenas of call sites where all that would have been measured are open still. */
    private void unmeasured(long count) {
        if (count != 0) {
            out.plain("  ").left("not measured", NAME).right(count, COUNT);
            out.right(Columns.percent(count, census.all().closedCount()), PERCENT).line();
        }
    }

    private void sites() {
        List<CensusResult.Site> sites = census.sites();
        out.line().plain("By call site").line();
        out.plain("  ").right("opened", COUNT).right("still open", NAME);
        out.right("open bytes", BYTES)
                .right("closed bytes", BYTES)
                .left("kind", PERCENT)
                .left("pooling", PERCENT)
                .plain("where")
                .line();
        for (CensusResult.Site site : sites.subList(0, Math.min(SITES_MAX, sites.size()))) {
            Row row = site.counts();
            out.plain("  ").right(row.openedCount(), COUNT);
            out.right(row.openedCount() - row.closedCount(), NAME);
            out.right(row.openBytes(), BYTES).right(row.bytes(), BYTES);
            out.left(site.site().confined() ? "confined" : "shared", PERCENT);
            out.left(site.verdict().word(), PERCENT).plain(SiteTable.place(site.site())).line();
        }
        if (sites.size() > SITES_MAX) {
            out.plain("  and " + (sites.size() - SITES_MAX) + " more, all of them in JSON").line();
        }
    }

    private void served() {
        out.line().plain("Pooling").line();
        for (Verdict verdict : Verdict.values()) {
            if (census.has(verdict)) {
                out.plain("  ").left(verdict.word(), PERCENT).plain(verdict.why()).line();
            }
        }
        if (census.used() == 0) {
            out.plain("  No arena that allocated was closed.").line();
            return;
        }
        CensusResult.Served all = census.served(Pooled.BOTH);
        out.plain("  It serves ").plain(Columns.grouped(all.all()));
        out.plain(" of the ").plain(Columns.grouped(census.used()));
        out.plain(" arenas that allocated and were closed, by pool=both: ");
        out.plain(Columns.percent(all.all(), census.used())).plain(" %").line();
        out.plain("  ").plain(Columns.grouped(all.slabs())).plain(" from slabs, ");
        out.plain(Columns.grouped(all.chunks())).plain(" larger ones from chunks and pages, ");
        out.plain(Columns.grouped(all.shared())).plain(" shared ones from chunks").line();
        out.plain("  Pooled now, by pool=" + pooled.word() + ": ");
        out.plain(Columns.grouped(census.served(pooled).all())).line();
    }

    private void classes() {
        out.line().plain("Classes: " + classes.rewrittenCount() + " rewritten, ");
        out.plain(classes.leftInWords()).line();
        for (String line : classes.left()) {
            out.plain("  ").plain(line).line();
        }
    }
}
