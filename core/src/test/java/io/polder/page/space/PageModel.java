package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.MemoryBudget;
import io.polder.memory.ProcessCheck;
import io.polder.memory.Zeroing;
import io.polder.page.PageStatistics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What a space must be: a sorted map of the pages that are taken, and what was written on them.
 * What it says of free memory it reads off the letters of {@link PageCheck#letters}, granule by
 * granule, and not from extents and their indexes.
 */
final class PageModel {
    /** A page, as it was when it was taken, and how many of its granules were written. */
    static final class Owned {
        final Extent page;
        final long address;
        private int count;
        private final long stamp;
        private int painted;

        Owned(Extent page, long stamp) {
            this.page = page;
            this.address = page.address();
            this.count = page.count;
            this.stamp = stamp;
        }

        long end() {
            return address + Granules.bytes(count);
        }

        int count() {
            return count;
        }

        long paintedBytes() {
            return Granules.bytes(painted);
        }
    }

    /** To read the mappings of the process takes longer than all else together. */
    private static final int MAPPINGS_EVERY = 10;

    /** No address is as long. */
    private static final int STAMP_SHIFT = Long.SIZE - 16;

    private final PageSpace space;
    private final TreeMap<Long, Owned> taken = new TreeMap<>();
    private long stamps;
    private int checks;
    private int takenGranules;

    PageModel(PageSpace space) {
        this.space = space;
    }

    int takenGranules() {
        return takenGranules;
    }

    int pages() {
        return taken.size();
    }

    List<Owned> all() {
        return List.copyOf(taken.values());
    }

    /** A page was taken: it must overlap no other, and is painted from its front. */
    Owned add(Extent page, int granulesToPaint) {
        stamps += 2;
        Owned owned = new Owned(page, page.grows ? stamps + 1 : stamps);
        assertThat(owned.address % PageSpace.GRANULE_BYTES).isZero();
        assertThat(page.bytes()).isEqualTo(Granules.bytes(owned.count)).isPositive();
        Map.Entry<Long, Owned> below = taken.floorEntry(owned.address);
        Map.Entry<Long, Owned> above = taken.ceilingEntry(owned.address);
        assertThat(below == null || below.getValue().end() <= owned.address)
                .as("no overlap with the page below")
                .isTrue();
        assertThat(above == null || above.getKey() >= owned.end())
                .as("no overlap with the page above")
                .isTrue();
        taken.put(owned.address, owned);
        takenGranules += owned.count;
        paint(owned, granulesToPaint);
        return owned;
    }

    /** Whether so many granules behind a page are free. */
    boolean freeBehind(Owned owned, int granules) {
        synchronized (space.state) {
            space.state.recoverIfNeededLocked();
            PageReservation reservation = owned.page.reservation();
            String map = PageCheck.letters(reservation);
            int from = owned.page.end();
            return from + granules <= map.length()
                    && map.substring(from, from + Math.max(0, granules)).matches("[wd.]*");
        }
    }

    /**
     * Whether all of a part of a page reads as zero, or was written by pages that could grow where
     * this one can: those have odd stamps.
     */
    static boolean isOwnOrZero(Extent page, long fromOffset) {
        for (long at = page.address() + fromOffset;
                at < page.address() + page.bytes();
                at += Long.BYTES) {
            long word = Zeroing.ADDRESS_SPACE.get(Zeroing.WORD, at);
            if (word != 0 && (!page.grows || (word >> STAMP_SHIFT & 1) == 0)) {
                return false;
            }
        }
        return true;
    }

    /** A page may have grown: what is new of it reads as zero, or as above. */
    void grew(Owned owned) {
        int before = owned.count;
        owned.count = owned.page.count;
        assertThat(owned.count).isGreaterThanOrEqualTo(before);
        takenGranules += owned.count - before;
        assertThat(isOwnOrZero(owned.page, Granules.bytes(before)))
                .as("what a page grew by reads as zero, or was left by its like")
                .isTrue();
    }

    /** A page is about to be given: it holds what was written, and is the model's no longer. */
    void remove(Owned owned) {
        checkPaint(owned);
        assertThat(taken.remove(owned.address)).isSameAs(owned);
        takenGranules -= owned.count;
    }

    /** Writes to some places of each of the first granules what no other place has. */
    void paint(Owned owned, int granules) {
        owned.painted = Math.max(owned.painted, granules);
        for (int i = 0; i < granules; i++) {
            for (long at : places(owned, i)) {
                Zeroing.ADDRESS_SPACE.set(Zeroing.WORD, at, word(owned, at));
            }
        }
    }

    private static void checkPaint(Owned owned) {
        for (int i = 0; i < owned.painted; i++) {
            for (long at : places(owned, i)) {
                assertThat(Zeroing.ADDRESS_SPACE.get(Zeroing.WORD, at))
                        .as("what was written to %s at 0x%x stays", owned.page, at)
                        .isEqualTo(word(owned, at));
            }
        }
    }

    private static long word(Owned owned, long at) {
        return (owned.stamp << STAMP_SHIFT) ^ at;
    }

    /** Both ends, and a place in between that differs from page to page. */
    private static long[] places(Owned owned, int granule) {
        long first = owned.address + Granules.bytes(granule);
        long last = first + PageSpace.GRANULE_BYTES - Long.BYTES;
        long words = PageSpace.GRANULE_BYTES / Long.BYTES;
        long between = owned.stamp * 40_503 % words * Long.BYTES;
        return new long[] {first, first + between, last};
    }

    /** The longest runs with memory behind them: first address and number of granules. */
    NavigableMap<Long, Integer> warmRuns() {
        NavigableMap<Long, Integer> runs = new TreeMap<>();
        synchronized (space.state) {
            space.state.recoverIfNeededLocked();
            for (PageReservation reservation : space.state.reserved) {
                String map = PageCheck.letters(reservation);
                for (int at = 0; at < map.length(); at++) {
                    int from = at;
                    while (at < map.length() && "wd".indexOf(map.charAt(at)) >= 0) {
                        at++;
                    }
                    if (at > from) {
                        runs.put(reservation.address(from), at - from);
                    }
                }
            }
        }
        return runs;
    }

    /** Checks everything that holds while no other thread is in the space. */
    void check() {
        PageCheck.verifyAtRest(space);
        checkTaken();
        taken.values().forEach(PageModel::checkPaint);
        checkSums();
        checkRuns();
        if (++checks % MAPPINGS_EVERY == 0) {
            checkMappings();
        }
    }

    /** The kernel has no more mappings for each reservation than are counted for it. */
    private void checkMappings() {
        if (!space.state.provider.canUncommit()) {
            return;
        }
        synchronized (space.state) {
            space.state.recoverIfNeededLocked();
            for (PageReservation reservation : space.state.reserved) {
                // One that grows while it is read is there twice, with the same start.
                assertThat(
                                ProcessCheck.overlapping(reservation.address(), reservation.bytes())
                                        .stream()
                                        .map(ProcessCheck.Mapping::start)
                                        .distinct())
                        .hasSizeLessThanOrEqualTo(1 + reservation.moved.boundaries);
            }
        }
    }

    private void checkTaken() {
        List<String> found = new ArrayList<>();
        synchronized (space.state) {
            space.state.recoverIfNeededLocked();
            for (PageReservation reservation : space.state.reserved) {
                for (Extent extent : PageCheck.extents(reservation)) {
                    if (extent.state == Extent.State.TAKEN) {
                        found.add(extent.toString());
                    }
                }
            }
        }
        assertThat(found).isEqualTo(taken.values().stream().map(o -> o.page.toString()).toList());
        for (Owned owned : taken.values()) {
            assertThat(owned.page.address()).isEqualTo(owned.address);
            assertThat(owned.page.count).isEqualTo(owned.count);
        }
    }

    private void checkSums() {
        PageFigures now = space.statistics();
        MemoryBudget budget = space.state.budget;
        assertThat(now.takenBytes()).isEqualTo(Granules.bytes(takenGranules));
        assertThat(now.takenPages()).isEqualTo(taken.size());
        assertThat(now.committedBytes()).isLessThanOrEqualTo(now.reservedBytes());
        assertThat(now.committedBytes()).isEqualTo(budget.committed.bytes());
        assertThat(now.reservedBytes()).isEqualTo(budget.reserved.bytes());
        assertThat(now.committedBytes()).isLessThanOrEqualTo(budget.limits.committedMaxBytes());
        assertThat(now.committedTotalBytes() - now.uncommittedTotalBytes())
                .isEqualTo(now.committedBytes());
        assertThat(now.mappingsMax()).isLessThanOrEqualTo(now.mappingsLimit());
    }

    /** The runs by size class are those that the letters show. */
    private void checkRuns() {
        PageFigures now = space.statistics();
        TreeMap<Long, PageStatistics.SizeClass> expected = new TreeMap<>();
        int longest = 0;
        long free = 0;
        for (int count : warmRuns().values()) {
            long least = Granules.bytes(Integer.highestOneBit(count));
            expected.merge(
                    least,
                    new PageFigures.SizeClass(least, 1, Granules.bytes(count)),
                    (a, b) ->
                            new PageFigures.SizeClass(
                                    least, a.count() + b.count(), a.bytes() + b.bytes()));
            longest = Math.max(longest, count);
            free += count;
        }
        assertThat(now.freeRuns()).containsExactlyElementsOf(expected.values());
        assertThat(space.largestRunBytes()).isEqualTo(Granules.bytes(longest));
        long freeBytes = Granules.bytes(free);
        assertThat(now.committedBytes() - now.takenBytes()).isEqualTo(freeBytes);
        assertThat(now.freeDirtyBytes()).isBetween(0L, freeBytes);
    }
}
