package io.polder.page.space;

import io.polder.memory.MemoryProvider;
import io.polder.memory.ReservedSpace;
import io.polder.page.space.Extent.State;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * One reservation and its granules.
 *
 * <pre>{@code
 *   granule    0     1     2     3     4     5     6     7
 *            +-----+-----------------+-----+-----------------+
 *            |taken|      warm       |taken|      cold       |
 *            +-----+-----------------+-----+-----------------+
 *   kinds     H     W     W     W     H     C     C     C
 *   held      a     .     .     .     b     .     .     .         the extent, at its first granule
 *   dirty     1     .     1     .     1     .     .     .
 *   moved     .     .     1     1     .     .     .     .
 *   runs            3           3           3           3         length, at both ends
 * }</pre>
 *
 * <p><b>What decides</b> are {@code kinds}, {@code held}, {@code dirty} and {@code moved}, and what
 * the extents say: they change in a few stores without a call, so no error can come in between. All
 * else is derived from them, and {@link #rebuild} does it anew after a change that was cut off.
 *
 * <p><b>Invariants.</b> The granules of an extent are held, and no others. A run is as long as its
 * kind goes: warm and cold neighbours are two runs, of one kind each. The indexes hold exactly the
 * free runs. No warm granule below {@code dirtyFrom} is dirty.
 *
 * <p><b>Dirty</b> is what may not read as zero. Of granules that are held, their owner alone reads
 * and writes it. A cold granule that is dirty may have memory although nobody counts it: moving it
 * was cut off. It is uncommitted once more, by the next who uncommits.
 *
 * <p><b>Mappings.</b> A reservation begins as one mapping. The kernel joins neighbours only if
 * they are of one origin: their memory is at home where it is, and first came to them while they
 * were one mapping. <b>Moved</b> granules may not be of the origin of the reservation, and may have
 * a mapping each: {@code boundaries} counts the borders between granules of which one is moved. All
 * others are of one origin, so the reservation has at most {@code 1 + boundaries} mappings. Moved
 * are
 *
 * <ul>
 *   <li>the targets of an assembly, from the moment it is planned;
 *   <li>a source that stands alone between moved ones: a mapping that is moved as a whole loses its
 *       origin;
 *   <li>fresh addresses to the right of a moved granule: the kernel prefers the left, so they may
 *       be joined with that, or get an origin of their own. The first granule has a neighbour that
 *       never moves: see {@link MemoryProvider#renew}.
 * </ul>
 *
 * <p>Not thread-safe: guarded by the lock of the {@link PageState} it belongs to.
 */
final class PageReservation extends ReservedSpace {
    /** What a granule is. */
    static final class Kind {
        /** Free, without memory. */
        static final byte COLD = 0;

        /** Free, with memory behind it. */
        static final byte WARM = 1;

        /** Of an extent. */
        static final byte HELD = 2;

        private Kind() {}
    }

    private final PageState owner;
    private final int size;

    private final byte[] kinds;
    private final @Nullable Extent[] held;
    private final boolean[] dirty;
    private final boolean[] moved;

    private final int[] runs;
    private final RunIndex warm;
    private final RunIndex cold;
    private int dirtyFrom;
    private int dirtyCount;
    private int unsureCount;
    private int boundaries;

    /** A reservation that is free as a whole, before it has its address. */
    PageReservation(PageState owner, int size, byte kind) {
        super(Granules.bytes(size));
        this.owner = owner;
        this.size = size;
        this.kinds = new byte[size];
        this.held = new @Nullable Extent[size];
        this.dirty = new boolean[size];
        this.moved = new boolean[size];
        this.runs = new int[size];
        this.warm = new RunIndex(size);
        this.cold = new RunIndex(size);
        for (int i = 0; i < size; i++) {
            kinds[i] = kind;
        }
        list(kind, 0, size);
    }

    PageState owner() {
        return owner;
    }

    long address(int index) {
        return address() + Granules.bytes(index);
    }

    int size() {
        return size;
    }

    int boundaries() {
        return boundaries;
    }

    RunIndex index(byte kind) {
        return kind == Kind.WARM ? warm : cold;
    }

    /** The first granule of the lowest free run of a kind, or {@link BitTree#NONE}. */
    int lowest(byte kind) {
        return index(kind).lowest();
    }

    /** The same of the highest. */
    int highest(byte kind) {
        return index(kind).highest();
    }

    /** The same of one with at least so many granules, the highest usually. */
    int highestFitting(byte kind, int count) {
        return index(kind).highestFitting(count, runs);
    }

    /** The same of the highest of a class, of which there are some. */
    int highestOfClass(byte kind, int runClass) {
        return index(kind).highestOfClass(runClass);
    }

    /** How many granules a free run has, by its first or its last. */
    int length(int end) {
        return runs[end];
    }

    /**
     * Cuts a part out of a free run, for an extent that has no granules yet; what remains at either
     * side stays free. Part of a change of the state.
     *
     * @param part what has it from now on
     * @param run the first granule of the run
     * @param from the first granule of the part
     * @param count its size
     * @param next what the extent is now
     * @param charged how many of its granules are charged already
     * @param isolation who isolates it; null for a page
     */
    void hold(
            Extent part,
            int run,
            int from,
            int count,
            State next,
            int charged,
            @Nullable Isolation isolation) {
        byte kind = kinds[run];
        int length = runs[run];
        int end = from + count;
        part.prepare(this, address(from), from, count);
        part.warmTo = kind == Kind.WARM ? count : 0;
        part.charged = charged;
        part.isolation = isolation;
        for (int i = from; i < end; i++) {
            kinds[i] = Kind.HELD;
        }
        held[from] = part;
        part.state = next; // decided
        index(kind).remove(run, length);
        if (from > run) {
            list(kind, run, from - run);
        }
        if (end < run + length) {
            list(kind, end, run + length - end);
        }
        uncountDirt(kind, from, end);
    }

    /** Frees an extent, and coalesces it with its neighbours of the same kind; likewise. */
    void free(Extent extent, byte kind) {
        int first = extent.first;
        int end = extent.first + extent.count;
        for (int i = first; i < end; i++) {
            kinds[i] = kind;
        }
        held[first] = null;
        extent.state = State.GONE; // decided
        countDirt(kind, first, end);
        coalesce(kind, first, end);
    }

    private void coalesce(byte kind, int first, int end) {
        int from = first;
        int to = end;
        if (first > 0 && kinds[first - 1] == kind) {
            from -= runs[first - 1];
            index(kind).remove(from, first - from);
        }
        if (end < size && kinds[end] == kind) {
            to += runs[end];
            index(kind).remove(end, to - end);
        }
        list(kind, from, to - from);
    }

    private void list(byte kind, int first, int count) {
        runs[first] = count;
        runs[first + count - 1] = count;
        index(kind).add(first, count);
    }

    /** Adds up what it has. */
    void addTo(PageState.Sums sums) {
        for (int at = 0; at < size; ) {
            int length;
            if (kinds[at] == Kind.HELD) {
                Extent extent = held(at);
                sums.add(extent);
                length = extent.count;
            } else {
                length = runs[at];
                sums.addWarm(kinds[at] == Kind.WARM ? length : 0);
            }
            at += length;
        }
    }

    /** The extents, from the lowest address up. */
    List<Extent> extents() {
        List<Extent> extents = new ArrayList<>();
        for (int at = 0; at < size; ) {
            Extent extent = kinds[at] == Kind.HELD ? held(at) : null;
            if (extent != null) {
                extents.add(extent);
            }
            at += extent == null ? runs[at] : extent.count;
        }
        return extents;
    }

    /** The extent that begins with a granule. */
    private Extent held(int granule) {
        Extent extent = held[granule];
        if (extent == null) {
            throw new AssertionError("a held granule has an extent: granule=" + granule);
        }
        return extent;
    }

    /** The longest free run of a kind. */
    int longest(byte kind) {
        int longest = 0;
        for (int at = 0; at < size; ) {
            int length = kinds[at] == Kind.HELD ? held(at).count : runs[at];
            longest = kinds[at] == kind ? Math.max(longest, length) : longest;
            at += length;
        }
        return longest;
    }

    /** Whether it is one free run of this kind. */
    boolean isWhole(byte kind) {
        return kinds[0] == kind && runs[0] == size;
    }

    /** How many warm granules may not read as zero. */
    int dirtyCount() {
        return dirtyCount;
    }

    /** How many cold granules may have memory nevertheless. */
    int unsureCount() {
        return unsureCount;
    }

    private void uncountDirt(byte kind, int from, int end) {
        if (dirtyCount + unsureCount == 0) {
            return;
        }
        for (int i = from; i < end; i++) {
            if (dirty[i] && kind == Kind.COLD) {
                unsureCount--;
            } else if (dirty[i]) {
                dirtyCount--;
            }
        }
    }

    private void countDirt(byte kind, int from, int end) {
        for (int i = from; i < end; i++) {
            if (dirty[i] && kind == Kind.COLD) {
                unsureCount++;
            } else if (dirty[i]) {
                dirtyFrom = Math.min(dirtyFrom, i);
                dirtyCount++;
            }
        }
    }

    /** The lowest warm granule that is dirty, or {@link BitTree#NONE}. */
    int lowestDirty() {
        for (int i = dirtyFrom; dirtyCount > 0 && i < size; i++) {
            if (dirty[i] && kinds[i] == Kind.WARM) {
                dirtyFrom = i;
                return i;
            }
        }
        return BitTree.NONE;
    }

    /** The first granule of the warm run that has a granule. */
    int warmRunOf(int granule) {
        return warm.startAtOrBefore(granule);
    }

    /** The first granule of the cold run that has a granule. */
    int coldRunOf(int granule) {
        return cold.startAtOrBefore(granule);
    }

    /** The first granule of the next run of a kind from a border on; the size if there is none. */
    int nextRun(byte kind, int border) {
        int at = border;
        while (at < size && kinds[at] != kind) {
            at += kinds[at] == Kind.HELD ? held(at).count : runs[at];
        }
        return at;
    }

    /** The lowest cold granule that may have memory, or {@link BitTree#NONE}. */
    int lowestUnsure() {
        for (int i = 0; unsureCount > 0 && i < size; i++) {
            if (kinds[i] == Kind.COLD && dirty[i]) {
                return i;
            }
        }
        return BitTree.NONE;
    }

    /** Whether a granule that the caller holds is dirty. */
    boolean isDirty(int granule) {
        return dirty[granule];
    }

    /** Says so of the first granules of an extent that the caller holds. */
    void dirtied(Extent extent, int count) {
        for (int i = extent.first; i < extent.first + count; i++) {
            dirty[i] = true;
        }
    }

    /** Says that granules that the caller holds read as zero. */
    void cleaned(int from, int count) {
        for (int i = from; i < from + count; i++) {
            dirty[i] = false;
        }
    }

    /** Says that an extent of a pass has no memory any more. */
    void uncommitted(Extent extent) {
        for (int i = extent.first; i < extent.first + extent.count; i++) {
            dirty[i] = false;
        }
        extent.warmTo = 0;
    }

    /**
     * A granule of a source is about to be moved to a target. From here to {@link #arrived} nobody
     * knows where its memory is, and so both places are dirty; should it stay like that, the target
     * is warm and the source cold.
     *
     * @return whether it was dirty before
     */
    static boolean departs(Extent source, Extent target, PageReservation from, PageReservation to) {
        int leaving = source.first + source.warmFrom;
        boolean wasDirty = from.dirty[leaving];
        from.dirty[leaving] = true;
        to.dirty[target.first + target.warmTo] = true;
        source.warmFrom++;
        target.warmTo++;
        return wasDirty;
    }

    /** It was moved. */
    static void arrived(
            Extent source,
            Extent target,
            PageReservation from,
            PageReservation to,
            boolean wasDirty) {
        to.dirty[target.first + target.warmTo - 1] = wasDirty;
        from.dirty[source.first + source.warmFrom - 1] = false;
    }

    /** It was not. */
    static void stayed(
            Extent source,
            Extent target,
            PageReservation from,
            PageReservation to,
            boolean wasDirty) {
        source.warmFrom--;
        target.warmTo--;
        to.dirty[target.first + target.warmTo] = false;
        from.dirty[source.first + source.warmFrom] = wasDirty;
    }

    /** Whether any of these granules is moved. */
    boolean anyMoved(int from, int count) {
        for (int i = from; i < from + count; i++) {
            if (moved[i]) {
                return true;
            }
        }
        return false;
    }

    /** The memory of granules has gone elsewhere: those that stand alone are moved now. */
    void movedAway(int from, int count) {
        for (int i = from; i < from + count; i++) {
            boolean left = i > 0 && !moved[i - 1];
            boolean right = i + 1 < size && !moved[i + 1];
            if (!left && !right) {
                setMoved(i, 1, true);
            }
        }
    }

    /** Fresh addresses have replaced granules: they are moved unless the kernel joins them. */
    void renewed(int from, int count) {
        setMoved(from, count, !joins(from));
    }

    /** Whether the kernel joins fresh addresses with their left neighbour. */
    boolean joins(int from) {
        return from == 0 || !moved[from - 1];
    }

    /** Says of granules whether they are moved. */
    void setMoved(int from, int count, boolean value) {
        boundaries -= boundariesAround(from, count);
        for (int i = from; i < from + count; i++) {
            moved[i] = value;
        }
        boundaries += boundariesAround(from, count);
    }

    /** The borders of so many granules, those at both ends included, where a mapping may end. */
    private int boundariesAround(int from, int count) {
        int found = 0;
        int end = Math.min(from + count, size - 1);
        for (int border = Math.max(from, 1); border <= end; border++) {
            if (moved[border - 1] || moved[border]) {
                found++;
            }
        }
        return found;
    }

    /** Reclaims the extents that were abandoned; may be done again. */
    void reclaimAbandoned() {
        for (int at = 0; at < size; ) {
            if (kinds[at] != Kind.HELD) {
                at++;
                continue;
            }
            Extent extent = held(at);
            if (extent.isAbandoned()) {
                reclaim(extent);
            }
            at += extent.count;
        }
    }

    private void reclaim(Extent extent) {
        if (extent.renewing) {
            setMoved(extent.first, extent.count, true);
        } else if (extent.atHome) {
            setMoved(extent.first, extent.count, false);
        } else if (extent.warmFrom > 0) {
            movedAway(extent.first, extent.warmFrom);
        }
        int from = extent.first + extent.warmFrom;
        int to = extent.first + extent.warmTo;
        for (int i = extent.first; i < extent.first + extent.count; i++) {
            kinds[i] = i >= from && i < to ? Kind.WARM : Kind.COLD;
        }
        held[extent.first] = null;
        extent.state = State.GONE;
    }

    /** Does anew all that is derived. */
    void rebuild() {
        warm.clear();
        cold.clear();
        dirtyFrom = size;
        dirtyCount = 0;
        unsureCount = 0;
        for (int at = 0; at < size; ) {
            byte kind = kinds[at];
            int end = at + 1;
            if (kind == Kind.HELD) {
                end = at + held(at).count;
            } else {
                while (end < size && kinds[end] == kind) {
                    end++;
                }
                list(kind, at, end - at);
                countDirt(kind, at, end);
            }
            at = end;
        }
        boundaries = boundariesAround(0, size);
    }

    /** Checks the invariants. */
    void verify() {
        int[] warmRuns = new int[Integer.SIZE];
        int[] coldRuns = new int[Integer.SIZE];
        int dirtyFound = 0;
        int unsureFound = 0;
        int extents = 0;
        for (int at = 0; at < size; ) {
            byte kind = kinds[at];
            int end;
            if (kind == Kind.HELD) {
                end = verifyHeld(at);
                extents++;
            } else {
                end = verifyRun(at);
                (kind == Kind.WARM ? warmRuns : coldRuns)[Granules.runClass(end - at)]++;
                for (int i = at; i < end; i++) {
                    dirtyFound += dirty[i] && kind == Kind.WARM ? 1 : 0;
                    unsureFound += dirty[i] && kind == Kind.COLD ? 1 : 0;
                    if (dirty[i] && kind == Kind.WARM && i < dirtyFrom) {
                        throw broken("no warm granule below is dirty: dirtyFrom=" + dirtyFrom, i);
                    }
                }
            }
            at = end;
        }
        int listed = 0;
        for (Extent extent : held) {
            listed += extent == null ? 0 : 1;
        }
        if (listed != extents) {
            throw broken("an extent stands at its first granule: listed=" + listed, 0);
        }
        warm.verify(warmRuns);
        cold.verify(coldRuns);
        if (dirtyCount != dirtyFound || unsureCount != unsureFound) {
            throw broken(
                    "dirt is counted: dirty=" + dirtyCount + ", unsure=" + unsureCount, dirtyFound);
        }
        if (boundaries != boundariesAround(0, size)) {
            throw broken(
                    "boundaries are where one of two granules is moved: boundaries=" + boundaries,
                    0);
        }
    }

    private int verifyHeld(int at) {
        Extent extent = held(at);
        if (extent.reservation != this || extent.first != at || extent.state == State.GONE) {
            throw broken("an extent knows its granules: extent=" + extent, at);
        }
        if (extent.count <= 0 || extent.end() > size) {
            throw broken("an extent has granules of its reservation: extent=" + extent, at);
        }
        for (int i = at; i < extent.end(); i++) {
            if (kinds[i] != Kind.HELD || (i > at && held[i] != null)) {
                throw broken("the granules of an extent are held: extent=" + extent, i);
            }
        }
        return extent.end();
    }

    private int verifyRun(int at) {
        int end = at + 1;
        while (end < size && kinds[end] == kinds[at]) {
            end++;
        }
        if (runs[at] != end - at || runs[end - 1] != end - at) {
            throw broken("a run knows its length at both ends: end=" + end, at);
        }
        if (!index(kinds[at]).contains(at, end - at)) {
            throw broken("a free run is in its index", at);
        }
        return end;
    }

    private AssertionError broken(String rule, int granule) {
        return new AssertionError(rule + ": granule=" + granule + ", reservation=" + map());
    }

    /** One letter per granule: taken T, warm w, dirty d, cold dot, isolated c. */
    String map() {
        StringBuilder map = new StringBuilder();
        for (int at = 0; at < size; at++) {
            map.append(letter(at));
        }
        return map.toString();
    }

    private char letter(int granule) {
        return switch (kinds[granule]) {
            case Kind.WARM -> dirty[granule] ? 'd' : 'w';
            case Kind.COLD -> '.';
            default -> heldLetter(granule);
        };
    }

    private char heldLetter(int granule) {
        int first = granule;
        while (first > 0 && held[first] == null) {
            first--;
        }
        Extent extent = held[first];
        if (extent == null) {
            return '?';
        }
        return extent.state == State.ISOLATED ? 'c' : first == granule ? 'T' : 't';
    }
}
