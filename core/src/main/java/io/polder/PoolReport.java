package io.polder;

import io.polder.event.Printable;
import io.polder.heap.HeapStatistics;
import io.polder.leak.LeakRecord;
import io.polder.page.PageStatistics;

import java.util.Formatter;
import java.util.List;
import java.util.Locale;

/**
 * The statistics of a pool as text, in the layout of {@code jcmd VM.metaspace}, which many know how
 * to read.
 *
 * <p>Percentages are of the line's own whole: {@code <1%} and {@code >99%} where rounding would say
 * 0 or 100 and it is not so, none of nothing.
 */
final class PoolReport {
    private static final long KIB = 1L << 10;
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;

    /** So many places that leaked, or have blocks, are shown: guessed, as many as fit a screen. */
    private static final int SITES_MAX = 8;

    private final PoolFigures stats;
    private final PageStatistics pages;
    private final Formatter out = new Formatter(Locale.ROOT);

    /** A report to be written. */
    PoolReport(PoolFigures stats) {
        this.stats = stats;
        this.pages = stats.pages();
    }

    /**
     * Writes it, once.
     *
     * @param largestRunBytes how long the longest run of pages is that is free and committed
     * @param number that of the pool among those of its name; not said if it is 1
     * @param usedBlocks the blocks that are used and watched, the places with the most bytes first
     * @param watchesBlocks whether any can be watched
     * @param shrinkers what they say of themselves
     */
    String write(
            long largestRunBytes,
            int number,
            List<LeakRecord> usedBlocks,
            boolean watchesBlocks,
            List<String> shrinkers) {
        out.format("Pool %s\n", PoolLabel.of(stats.name(), number));
        out.format(
                "Memory          used %dK, committed %dK, reserved %dK\n\n",
                stats.usedBytes() / KIB, stats.committedBytes() / KIB, stats.reservedBytes() / KIB);
        if (!stats.arenas().pooled()) {
            out.format("Arenas are the JDK's: %s\n", stats.reason());
            if (stats.reservedBytes() == 0 && shrinkers.isEmpty()) {
                return out.toString();
            }
            out.format("\n");
        }
        if (stats.reservedBytes() == 0) {
            out.format("It has no memory now.\n\n");
        } else {
            usage();
            virtualSpace();
            freeChunks();
            freePages(largestRunBytes);
            waste();
        }
        blocks(usedBlocks);
        heaps();
        shrinkers(shrinkers);
        leaks(watchesBlocks);
        if (stats.reservedBytes() != 0 || stats.committedTotalBytes() + stats.refusals() != 0) {
            internals();
        }
        settings();
        return out.toString();
    }

    private void usage() {
        int threads = stats.arenas().threads();
        out.format(
                "Total Usage (%s slabs):\n",
                threads == 1 ? "1 thread keeps" : threads + " threads keep");
        long capacity = stats.capacityBytes() - pages.takenBytes();
        long used = stats.usedBytes() - pages.takenBytes();
        out.format(
                "  Chunks: %s, %s capacity, %s%s committed\n",
                count(stats.usedChunks(), "chunk"), size(capacity), size(used), of(used, capacity));
        out.format(
                "   Pages: %s, %s, %d of them given and kept by views\n",
                count(pages.takenPages(), "page"), size(pages.takenBytes()), pages.keptByViews());
        out.format(
                "Deferred: %s, %s of closed arenas wait for others\n\n",
                count(stats.arenas().deferredGroups(), "group"),
                size(stats.arenas().deferredRetainedBytes()));
    }

    private void virtualSpace() {
        out.format("Virtual space:\n");
        virtualSpace(
                "Chunk space",
                stats.reservedBytes() - pages.reservedBytes(),
                stats.committedBytes() - pages.committedBytes());
        virtualSpace("Page space", pages.reservedBytes(), pages.committedBytes());
        virtualSpace("Both", stats.reservedBytes(), stats.committedBytes());
        out.format("\n");
    }

    private void virtualSpace(String name, long reserved, long committed) {
        out.format(
                "  %11s: %12s reserved, %12s%s committed\n",
                name, size(reserved), size(committed), of(committed, reserved));
    }

    private void freeChunks() {
        out.format("Chunk freelists:\n");
        long capacity = 0;
        for (PageStatistics.SizeClass free : stats.freeChunks()) {
            long bytes = free.count() * free.sizeBytes();
            capacity += bytes;
            String committed = ", committed=" + size(free.bytes()) + of(free.bytes(), bytes);
            freeOf(free, bytes, committed);
        }
        out.format(
                " Total size: %s, committed: %s%s\n\n",
                size(capacity), size(freeChunkBytes()), of(freeChunkBytes(), capacity));
    }

    /** A class of runs is named by the least size in it. */
    private void freeOf(PageStatistics.SizeClass free, long capacity, String more) {
        String name = name(free.sizeBytes());
        if (free.count() == 0) {
            out.format("%6s: (none)\n", name);
        } else {
            out.format("%6s: %d, capacity=%s%s\n", name, free.count(), size(capacity), more);
        }
    }

    private long freeChunkBytes() {
        return stats.committedBytes() - stats.usedBytes() - freePageBytes();
    }

    private long freePageBytes() {
        return pages.committedBytes() - pages.takenBytes();
    }

    private void freePages(long largestRunBytes) {
        out.format("Page freelists:\n");
        for (PageStatistics.SizeClass runs : pages.freeRuns()) {
            freeOf(runs, runs.bytes(), "");
        }
        out.format(
                " Total size: %s, not zero: %s, largest: %s\n\n",
                size(freePageBytes()), size(pages.freeDirtyBytes()), size(largestRunBytes));
    }

    private static String name(long bytes) {
        return bytes >= MIB ? bytes / MIB + "m" : bytes / KIB + "k";
    }

    private void waste() {
        out.format(
                "Waste (unused committed space): (percentages refer to total committed size %s):\n",
                size(stats.committedBytes()));
        out.format(
                "                In free chunks: %s%s\n",
                size(freeChunkBytes()), of(freeChunkBytes(), stats.committedBytes()));
        out.format(
                "                 In free pages: %s%s\n\n",
                size(freePageBytes()), of(freePageBytes(), stats.committedBytes()));
    }

    private void blocks(List<LeakRecord> used) {
        PoolStatistics.Blocks blocks = stats.blocks();
        if (blocks.committedBytes() + blocks.leftAtClose() == 0) {
            return;
        }
        out.format(
                "Blocks (their memory is counted as chunks and pages%s):\n",
                blocks.checked() ? "; they are checked" : "");
        long emptyBytes = blocks.committedBytes();
        for (PoolStatistics.BlockSize each : blocks.sizes()) {
            emptyBytes -= each.committedBytes();
            out.format(
                    "  %8d: %d used, %d free, %s committed\n",
                    each.blockBytes(),
                    each.usedCount(),
                    each.freeCount(),
                    size(each.committedBytes()));
        }
        out.format(
                " Total: %s, %s%s of %s, %s in empty spans\n",
                count(blocks.usedCount(), "block"),
                size(blocks.usedBytes()),
                of(blocks.usedBytes(), blocks.committedBytes()),
                size(blocks.committedBytes()),
                size(emptyBytes));
        usedBlocks(used);
        if (blocks.leftAtClose() > 0) {
            out.format(
                    " Used when the pool was closed: %s\n", count(blocks.leftAtClose(), "block"));
        }
        out.format("\n");
    }

    private void usedBlocks(List<LeakRecord> used) {
        if (used.isEmpty()) {
            return;
        }
        long watched = used.stream().mapToLong(LeakRecord::count).sum();
        out.format(
                " Used, by where they were allocated (%s):\n",
                watched >= stats.blocks().usedCount() ? "all" : "some of them");
        for (LeakRecord each : used.subList(0, Math.min(SITES_MAX, used.size()))) {
            out.format(
                    "  %s, %s, by thread %s among others:\n",
                    count(each.count(), "block"), size(each.bytes()), Printable.of(each.thread()));
            each.openedAt().forEach(frame -> out.format("      at %s\n", frame));
        }
        if (used.size() > SITES_MAX) {
            out.format("  and from %d other places\n", used.size() - SITES_MAX);
        }
    }

    private void heaps() {
        if (stats.heaps().isEmpty()) {
            return;
        }
        out.format("Heaps (their memory is counted as pages):\n");
        for (HeapStatistics held : stats.heaps()) {
            long bytes = held.regionBytes() + held.tableBytes();
            out.format(
                    "  %4d: %s, %s%s live of %s, limit=%s\n",
                    held.number(),
                    count(held.liveObjects(), "object"),
                    size(held.liveBytes()),
                    of(held.liveBytes(), bytes),
                    size(bytes),
                    heapLimit(held.maxBytes()));
            out.format(
                    "        %s, %d of them out of memory, %s copied, %s given back\n",
                    count(held.cycles(), "cycle"),
                    held.outOfMemoryCycles(),
                    size(held.evacuatedBytes()),
                    size(held.givenBackBytes()));
        }
        out.format("\n");
    }

    private void shrinkers(List<String> lines) {
        if (lines.isEmpty()) {
            return;
        }
        out.format("Shrinkers (asked for memory before it is refused):\n");
        lines.forEach(line -> out.format("  %s\n", Printable.of(line)));
        out.format("\n");
    }

    private void leaks(boolean watchesBlocks) {
        PoolStatistics.Leaks leaks = stats.leaks();
        if (leaks.detection() == LeakDetection.OFF && leaks.leaked() + leaks.watched() == 0) {
            return;
        }
        out.format("Leaks (%s):\n", scope(leaks, watchesBlocks));
        out.format(
                "  %d found, %s, %d watched now\n",
                leaks.leaked(), size(leaks.leakedBytes()), leaks.watched());
        long listed = 0;
        for (PoolStatistics.Leak site : leaks.sites().stream().limit(SITES_MAX).toList()) {
            listed += site.count();
            out.format(
                    "  %d x %s, %s, last by thread %s:\n",
                    site.count(), site.kind(), size(site.bytes()), Printable.of(site.thread()));
            site.openedAt().forEach(frame -> out.format("      at %s\n", frame));
        }
        if (listed < leaks.leaked()) {
            out.format("  %d from other places\n", leaks.leaked() - listed);
        }
        out.format("\n");
    }

    private static String scope(PoolStatistics.Leaks leaks, boolean watchesBlocks) {
        if (leaks.detection() == LeakDetection.OFF) {
            return "off by now, nothing more is watched";
        }
        return (leaks.detection() == LeakDetection.ALL ? "all arenas" : "some arenas")
                + (watchesBlocks ? " and blocks" : "")
                + ", all pages and heaps are watched"
                + (watchesBlocks ? "" : "; no block is, since detection came after the first");
    }

    private void internals() {
        out.format("Internal statistics:\n");
        for (PageStatistics.SizeClass taken : pages.mix()) {
            out.format(
                    "  pages taken so far, up to %s: %d, %s\n",
                    name(taken.sizeBytes()), taken.count(), size(taken.bytes()));
        }
        out.format(
                "  pages taken that were not at hand: %d, %.3f ms, %.3f ms at most\n",
                pages.slowTakes(), pages.slowTakeNanos() / 1e6, pages.longestTakeNanos() / 1e6);
        out.format("  pages assembled on allocation: %d\n", pages.assembledOnAllocation());
        out.format("  pages assembled in the background: %d\n", pages.assembledInBackground());
        out.format("  memory moved for that: %s\n", size(pages.movedBytes()));
        out.format(
                "  mappings that pages cost: %d at most, of %d\n",
                pages.mappingsMax(), pages.mappingsLimit());
        out.format("  threads waiting for memory: %d\n", pages.waiting());
        out.format("  committed so far: %s\n", size(stats.committedTotalBytes()));
        out.format("  uncommitted so far: %s\n", size(stats.uncommittedTotalBytes()));
        out.format("  calls refused by the system: %d\n\n", stats.refusals());
    }

    private void settings() {
        out.format("Settings:\n");
        out.format("  committed limit: %s\n", limit(stats.committedMaxBytes()));
        out.format("  reserved limit: %s\n", limit(stats.reservedMaxBytes()));
        out.format(
                "  slab: %s, %d per thread\n",
                size(stats.arenas().slabBytes()), stats.arenas().slabsPerThread());
        out.format("  provider: %s (%s)\n", stats.provider(), stats.reason());
        out.format("  gives memory back by the page: %s\n", stats.givesBack() ? "yes" : "no");
        out.format("  leak detection: %s\n", stats.leaks().detection().word());
    }

    /** A heap without a limit of its own has that of its pool. */
    private String heapLimit(long bytes) {
        boolean isThePools =
                bytes == PoolFigures.NO_LIMIT && stats.committedMaxBytes() != PoolFigures.NO_LIMIT;
        return isThePools ? "the pool's" : limit(bytes);
    }

    private static String limit(long bytes) {
        return bytes == PoolFigures.NO_LIMIT ? "none" : size(bytes);
    }

    /** A size in the largest unit in which it is 1 or more. */
    static String size(long bytes) {
        if (bytes < KIB) {
            return bytes + " bytes";
        }
        if (bytes < MIB) {
            return decimal(bytes, KIB) + " KB";
        }
        return bytes < GIB ? decimal(bytes, MIB) + " MB" : decimal(bytes, GIB) + " GB";
    }

    private static String decimal(long bytes, long unit) {
        return String.format(Locale.ROOT, "%.2f", bytes / (double) unit);
    }

    /** So many of something. */
    static String count(long number, String noun) {
        return number + " " + noun + (number == 1 ? "" : "s");
    }

    /** A part of a whole in parentheses, after a blank; nothing where the whole is nothing. */
    private static String of(long part, long whole) {
        return whole == 0 ? "" : " (" + percent(part, whole) + ")";
    }

    /** A part of a whole that is not 0, three characters wide with its sign. */
    static String percent(long part, long whole) {
        double share = 100.0 * part / whole;
        if (part > 0 && share < 1) {
            return "<1%";
        }
        if (part < whole && share > 99) {
            return ">99%";
        }
        return String.format(Locale.ROOT, "%2.0f%%", share);
    }
}
