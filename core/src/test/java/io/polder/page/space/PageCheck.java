package io.polder.page.space;

import io.polder.memory.VirtualSpaceCheck;
import io.polder.page.space.Extent.State;
import io.polder.page.space.PageReservation.Kind;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** Checks the invariants of a {@link PageSpace} and of its parts. */
public final class PageCheck {
    private PageCheck() {}

    /**
     * Checks all invariants that hold while threads run; it stops them meanwhile.
     *
     * @throws AssertionError if one does not hold
     */
    public static void verify(PageSpace space) {
        PageState state = space.state;
        synchronized (state) {
            state.recoverIfNeededLocked();
            verifyLocked(state);
            if (state.mappingsLocked() > state.mappingsMax) {
                throw new AssertionError(
                        "pages stay within their share of mappings: mappings="
                                + state.mappingsLocked()
                                + ", mappingsMax="
                                + state.mappingsMax);
            }
        }
    }

    /** Checks also what holds only while no other thread is in the space. */
    public static void verifyAtRest(PageSpace space) {
        verify(space);
        PageState state = space.state;
        synchronized (state) {
            state.recoverIfNeededLocked();
            verifyLocked(state);
            check("isolated", 0, state.isolated);
            for (PageReservation reservation : state.reserved) {
                for (Extent extent : extents(reservation)) {
                    check("isolated", extent.state == State.ISOLATED ? extent.count : 0, 0);
                }
            }
        }
    }

    /** The extents, from the lowest address up. */
    static List<Extent> extents(PageReservation reservation) {
        return Arrays.stream(reservation.held).filter(Objects::nonNull).toList();
    }

    private static void verifyLocked(PageState state) {
        for (PageReservation reservation : state.reserved) {
            verify(reservation);
        }
        long taken = 0;
        long takenCount = 0;
        long warmFree = 0;
        long isolated = 0;
        long isolatedCount = 0;
        for (PageReservation reservation : state.reserved) {
            for (Extent extent : extents(reservation)) {
                boolean isTaken = extent.state == State.TAKEN;
                taken += isTaken ? extent.count : 0;
                takenCount += isTaken ? 1 : 0;
                isolated += isTaken ? 0 : extent.charged;
                isolatedCount += extent.state == State.ISOLATED ? 1 : 0;
            }
            for (byte kind : reservation.kinds) {
                warmFree += kind == Kind.WARM ? 1 : 0;
            }
        }
        check("taken", taken, state.taken);
        check("takenCount", takenCount, state.takenCount);
        check("warmFree", warmFree, state.warmFree);
        check("isolated", isolated, state.isolated);
        check("isolatedCount", isolatedCount, state.isolatedCount);
        check(
                "committedBytes",
                Granules.bytes(state.taken + state.warmFree + state.isolated),
                state.committedBytes);
        VirtualSpaceCheck.verifyLocked(
                state,
                () ->
                        Arrays.stream(state.reserved)
                                .map(PageCheck::letters)
                                .collect(Collectors.joining("\n")));
    }

    private static void check(String name, long found, long counted) {
        if (found != counted) {
            throw new AssertionError(
                    "a sum is what the extents add up to: name="
                            + name
                            + ", found="
                            + found
                            + ", counted="
                            + counted);
        }
    }

    static void verify(PageReservation reservation) {
        byte[] kinds = reservation.kinds;
        int[] warmRuns = new int[Integer.SIZE];
        int[] coldRuns = new int[Integer.SIZE];
        int extents = 0;
        for (int at = 0; at < reservation.size; ) {
            byte kind = kinds[at];
            int end;
            if (kind == Kind.HELD) {
                end = verifyHeld(reservation, at);
                extents++;
            } else {
                end = verifyRun(reservation, at);
                (kind == Kind.WARM ? warmRuns : coldRuns)[Granules.runClass(end - at)]++;
            }
            at = end;
        }
        int listed = 0;
        for (Extent extent : reservation.held) {
            listed += extent == null ? 0 : 1;
        }
        if (listed != extents) {
            throw broken(reservation, "an extent stands at its first granule: listed=" + listed, 0);
        }
        verify(reservation.warm, warmRuns);
        verify(reservation.cold, coldRuns);
        verifyDirt(reservation);
        MovedGranules moved = reservation.moved;
        if (moved.boundaries != moved.around(0, moved.size)) {
            throw broken(
                    reservation,
                    "boundaries are where one of two granules is moved: boundaries="
                            + moved.boundaries,
                    0);
        }
    }

    private static int verifyHeld(PageReservation reservation, int at) {
        Extent extent = reservation.held(at);
        if (extent.reservation != reservation || extent.first != at || extent.state == State.GONE) {
            throw broken(reservation, "an extent knows its granules: extent=" + extent, at);
        }
        if (extent.count <= 0 || extent.end() > reservation.size) {
            throw broken(
                    reservation, "an extent has granules of its reservation: extent=" + extent, at);
        }
        for (int i = at; i < extent.end(); i++) {
            if (reservation.kinds[i] != Kind.HELD || (i > at && reservation.held[i] != null)) {
                throw broken(
                        reservation, "the granules of an extent are held: extent=" + extent, i);
            }
        }
        return extent.end();
    }

    private static int verifyRun(PageReservation reservation, int at) {
        byte[] kinds = reservation.kinds;
        int end = at + 1;
        while (end < reservation.size && kinds[end] == kinds[at]) {
            end++;
        }
        if (reservation.runs[at] != end - at || reservation.runs[end - 1] != end - at) {
            throw broken(reservation, "a run knows its length at both ends: end=" + end, at);
        }
        RunIndex index = kinds[at] == Kind.WARM ? reservation.warm : reservation.cold;
        if (!index.slots[RunIndex.slot(end - at)].get(at) || !index.all.get(at)) {
            throw broken(reservation, "a free run is in its index", at);
        }
        return end;
    }

    private static void verifyDirt(PageReservation reservation) {
        DirtyGranules dirt = reservation.dirt;
        int warm = 0;
        for (int i = 0; i < dirt.size; i++) {
            warm += dirt.dirty[i] > 0 && dirt.kinds[i] == Kind.WARM ? 1 : 0;
            if (dirt.dirty[i] > 0 && dirt.kinds[i] == Kind.WARM && i < dirt.dirtyFrom) {
                throw broken(
                        reservation,
                        "no warm granule below is dirty: dirtyFrom=" + dirt.dirtyFrom,
                        0);
            }
        }
        if (dirt.dirtyCount != warm) {
            throw broken(reservation, "dirt is counted: dirty=" + dirt.dirtyCount, 0);
        }
    }

    private static AssertionError broken(PageReservation reservation, String rule, int granule) {
        return new AssertionError(
                rule + ": granule=" + granule + ", reservation=" + letters(reservation));
    }

    /** Checks the sets of an index, and that the numbers of its runs are these. */
    private static void verify(RunIndex index, int[] expected) {
        int runs = 0;
        int[] found = new int[Integer.SIZE];
        for (int slot = 0; slot < RunIndex.SLOTS; slot++) {
            BitTree tree = index.slots[slot];
            int inTree = verifiedCount(tree);
            boolean listed = (index.present & (1L << slot)) != 0;
            if (listed != (inTree != 0)) {
                throw new AssertionError(
                        "a slot is present if it has runs: slot=" + slot + ", inSet=" + inTree);
            }
            if (slot >= RunIndex.EXACT && granulesIn(tree, index.lengths) != index.granules[slot]) {
                throw new AssertionError(
                        "the granules of a slot are counted: slot="
                                + slot
                                + ", counted="
                                + index.granules[slot]);
            }
            runs += inTree;
            if (slot > 0) {
                found[Granules.runClass(RunIndex.least(slot))] += inTree;
            }
        }
        for (int c = 0; c < found.length; c++) {
            if (found[c] != expected[c]) {
                throw new AssertionError(
                        "a set holds exactly the free runs of its class: class="
                                + c
                                + ", inSet="
                                + found[c]
                                + ", runs="
                                + expected[c]);
            }
        }
        int inAll = verifiedCount(index.all);
        if (inAll != runs) {
            throw new AssertionError("all runs are in one set: inSet=" + inAll + ", runs=" + runs);
        }
    }

    private static long granulesIn(BitTree tree, int[] lengths) {
        long sum = 0;
        for (int at = tree.last(); at != BitTree.NONE; at = tree.before(at)) {
            sum += lengths[at];
        }
        return sum;
    }

    private static int verifiedCount(BitTree tree) {
        verify(tree);
        int found = 0;
        for (int at = tree.last(); at != BitTree.NONE; at = tree.before(at)) {
            found++;
        }
        if (found != tree.count) {
            throw new AssertionError(
                    "the bits that are set are counted: found="
                            + found
                            + ", counted="
                            + tree.count);
        }
        return found;
    }

    static void verify(BitTree tree) {
        long[] words = tree.words;
        for (int leaf = 0; leaf < tree.base * Long.SIZE; leaf++) {
            int word = tree.base + leaf;
            boolean set = (words[leaf / Long.SIZE] & (1L << leaf)) != 0;
            if (set != (word < words.length && words[word] != 0)) {
                throw new AssertionError("a bit says whether the word below is zero: word=" + word);
            }
        }
    }

    /** One letter per granule: taken Tt, warm w, dirty d, cold dot, isolated c, lost x. */
    static String letters(PageReservation reservation) {
        StringBuilder letters = new StringBuilder();
        char within = '?';
        for (int at = 0; at < reservation.size; at++) {
            Extent extent = reservation.held[at];
            char letter =
                    switch (reservation.kinds[at]) {
                        case Kind.WARM -> reservation.dirt.dirty[at] > 0 ? 'd' : 'w';
                        case Kind.COLD -> '.';
                        default -> extent == null ? within : letter(extent);
                    };
            letters.append(letter);
            within = letter == 'T' ? 't' : letter;
        }
        return letters.toString();
    }

    private static char letter(Extent extent) {
        return switch (extent.state) {
            case ISOLATED -> 'c';
            case LOST -> 'x';
            default -> 'T';
        };
    }
}
