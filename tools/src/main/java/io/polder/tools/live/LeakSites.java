package io.polder.tools.live;

import io.polder.tools.terminal.Printable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import javax.management.openmbean.CompositeData;

/**
 * The leaks that a pool has found, by the place that opened what leaked.
 *
 * @param detection how closely the pool looks: {@code off}, {@code sampled}, {@code all}
 * @param oneIn of so many arenas one is watched
 * @param found how many there were
 * @param bytes what those have
 * @param watched what is open and watched now, without blocks
 * @param sites places, the one with the most leaks first
 * @param blocks how many blocks are allocated now, of which nobody knows yet who will free them
 * @param blockBytes what those have
 */
record LeakSites(
        String detection,
        long oneIn,
        long found,
        long bytes,
        long watched,
        List<Site> sites,
        long blocks,
        long blockBytes) {
    private static final String OFF = "off";

    /**
     * A place.
     *
     * @param kind what leaked, in words
     * @param count how often
     * @param bytes what those have
     * @param thread who opened the last one
     * @param openedAt the stack, innermost frame first
     */
    record Site(String kind, long count, long bytes, String thread, List<String> openedAt) {}

    static LeakSites of(CompositeData statistics) {
        String detection = OpenData.word(statistics, "leaks", "detection");
        List<Site> sites = new ArrayList<>();
        if (OpenData.at(statistics, "leaks", "sites") instanceof CompositeData[] all) {
            for (CompositeData site : all) {
                sites.add(
                        new Site(
                                OpenData.word(site, "kind"),
                                OpenData.number(site, "count"),
                                OpenData.number(site, "bytes"),
                                OpenData.word(site, "thread"),
                                OpenData.at(site, "openedAt") instanceof String[] frames
                                        ? List.of(frames)
                                        : List.of()));
            }
        }
        return new LeakSites(
                detection.isEmpty() ? OFF : detection.toLowerCase(Locale.ROOT),
                OpenData.number(statistics, "leaks", "arenasOneIn"),
                OpenData.number(statistics, "leaks", "leaked"),
                OpenData.number(statistics, "leaks", "leakedBytes"),
                OpenData.number(statistics, "leaks", "watched"),
                sites,
                OpenData.number(statistics, "blocks", "usedCount"),
                OpenData.number(statistics, "blocks", "usedBytes"));
    }

    /** Whether the pool looks for leaks, or has done so. */
    boolean isKnown() {
        return !detection.equals(OFF) || found > 0;
    }

    /**
     * For people.
     *
     * @param frames how many of each stack are shown
     */
    String text(int frames) {
        StringBuilder out = new StringBuilder();
        out.append("  ").append(found).append(" found, ").append(TopTable.size(bytes));
        out.append("; ").append(watched).append(" watched now; ").append(scope()).append('\n');
        return out.append(sitesText(frames)).append(blocksText()).toString();
    }

    private String sitesText(int frames) {
        StringBuilder out = new StringBuilder();
        long listed = 0;
        for (Site site : sites) {
            listed += site.count;
            out.append("  ").append(site.count).append(" x ").append(Printable.of(site.kind));
            out.append(", ").append(TopTable.size(site.bytes)).append(", last by thread ");
            out.append(Printable.of(site.thread)).append(":\n");
            for (String frame : site.openedAt.stream().limit(frames).toList()) {
                out.append("      at ").append(Printable.of(frame)).append('\n');
            }
        }
        if (listed < found) {
            out.append("  ").append(found - listed).append(" from other places\n");
        }
        return out.toString();
    }

    /** What is said of blocks; nothing if there are none. */
    String blocksText() {
        return blocks == 0
                ? ""
                : "  blocks: "
                        + blocks
                        + " allocated now, "
                        + TopTable.size(blockBytes)
                        + "; no collection finds those that nobody will free: they are leaks when"
                        + " the pool is closed; if detection was on before the pool's first block,"
                        + " `report` lists those that are watched, by who allocated them\n";
    }

    private String scope() {
        return switch (detection) {
            case OFF -> "nothing more is watched (off)";
            case "all" -> "every arena, page and heap is watched (all)";
            default -> "some arenas, all pages and heaps are watched (" + detection + ")";
        };
    }

    /** For programs. */
    Map<String, Object> json() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("detection", detection);
        map.put("found", found);
        map.put("bytes", bytes);
        map.put("watched", watched);
        map.put("blocks", blocks);
        map.put("blockBytes", blockBytes);
        map.put("sites", sites);
        return map;
    }
}
