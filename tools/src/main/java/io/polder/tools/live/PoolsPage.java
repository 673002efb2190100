package io.polder.tools.live;

import io.polder.tools.attach.AttachException;
import io.polder.tools.html.Block;
import io.polder.tools.html.Chart.Caption;
import io.polder.tools.html.DataTable;
import io.polder.tools.html.MemoryMap;
import io.polder.tools.html.MemoryMap.Panel;
import io.polder.tools.html.Page;
import io.polder.tools.html.Page.Section;
import io.polder.tools.html.PoolArea;
import io.polder.tools.terminal.Printable;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import javax.management.openmbean.CompositeData;

/** What the pools of a running JVM hold, as a page: figures, the map, and the report. */
final class PoolsPage {
    private static final double MIB = 1 << 20;

    private final String jvm;
    private final List<Section> sections = new ArrayList<>();
    private int poolCount;
    private long usedBytes;
    private long committedBytes;

    /**
     * A page without pools.
     *
     * @param jvm which process it is, for people
     */
    PoolsPage(String jvm) {
        this.jvm = jvm;
    }

    /** Adds a table of all pools, the largest first. */
    void addOverview(List<Sample> pools) {
        List<List<String>> rows = new ArrayList<>();
        TopTable.sorted(pools)
                .forEach(
                        pool ->
                                rows.add(
                                        List.of(
                                                pool.label(),
                                                mebibytes(pool.usedBytes()),
                                                mebibytes(pool.committedBytes()),
                                                mebibytes(pool.reservedBytes()),
                                                TopTable.limit(pool),
                                                Integer.toString(pool.heaps()),
                                                TopTable.leaks(pool))));
        sections.add(
                new Section(
                        "pools",
                        "All pools",
                        List.of(
                                DataTable.ofNumbers(
                                        "What they hold now; leaks are off where nobody looks for"
                                                + " them.",
                                        List.of(
                                                "pool",
                                                "in use",
                                                "committed",
                                                "reserved",
                                                "limit",
                                                "heaps",
                                                "leaks"),
                                        rows))));
    }

    /** Adds a pool, unless it was closed meanwhile. */
    void add(LivePool pool) throws AttachException {
        CompositeData figures = pool.statistics();
        CompositeData map = pool.map();
        String report = pool.report();
        if (figures == null || map == null || report == null) {
            return;
        }
        long used = OpenData.number(figures, "usedBytes");
        long committed = OpenData.number(figures, "committedBytes");
        usedBytes += used;
        committedBytes += committed;
        List<PoolArea> areas = OpenData.areas(map);
        List<Block> blocks = new ArrayList<>();
        blocks.add(
                new Block.Facts(
                        List.of(
                                new Block.Fact("in use", mebibytes(used)),
                                new Block.Fact("committed", mebibytes(committed)),
                                new Block.Fact(
                                        "reserved",
                                        mebibytes(OpenData.number(figures, "reservedBytes"))))));
        addMap(
                blocks,
                "Chunks",
                "One cell a chunk, by address. One that is held has memory as far as it was used.",
                PoolArea.panel("now", "chunks", areas));
        addMap(
                blocks,
                "Pages",
                "One cell a page, or memory that is free, by address.",
                PoolArea.panel("now", "pages", areas));
        blocks.add(new Block.Text(Printable.lines(report)));
        poolCount++;
        sections.add(new Section("pool-" + poolCount, "Pool " + pool.label(), blocks));
    }

    /** Adds what is said of pools that are gone; nothing if there are none. */
    void add(String former) {
        if (!former.isEmpty()) {
            sections.add(
                    new Section(
                            "former",
                            "Pools that are gone",
                            List.of(new Block.Text(former.stripLeading()))));
        }
    }

    private static void addMap(
            List<Block> blocks, String title, String note, Optional<Panel> panel) {
        panel.ifPresent(some -> blocks.add(new MemoryMap(new Caption(title, note), List.of(some))));
    }

    /** The page. */
    Page page() {
        String pools = poolCount == 1 ? "one pool" : poolCount + " pools";
        return new Page(
                "Polder",
                mebibytes(usedBytes)
                        + " of "
                        + mebibytes(committedBytes)
                        + " committed memory are in use, in "
                        + pools
                        + ".",
                List.of(jvm, Instant.now().truncatedTo(ChronoUnit.SECONDS).toString()),
                sections);
    }

    private static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.2f MiB", bytes / MIB);
    }
}
