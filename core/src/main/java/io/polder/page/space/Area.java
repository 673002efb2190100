package io.polder.page.space;

import io.polder.memory.MemoryProvider;
import io.polder.page.space.Extent.State;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * One reservation: its granules, tiled by extents.
 *
 * <pre>{@code
 *   granule    0     1     2     3     4     5     6     7
 *            +-----+-----------------+-----+-----------------+
 *            |taken|      warm       |taken|      cold       |
 *            +-----+-----------------+-----+-----------------+
 *   tags      a     b     .     b     c     d     .     d         boundary tags: an extent stands
 *   dirty     .     .     1     .     1     .     .     .         at its first and last granule
 *   moved     .     .     1     1     .     .     .     .
 * }</pre>
 *
 * <p><b>Invariants.</b> {@code tags[e.first] == tags[e.end - 1] == e} for each extent, all other
 * tags are null, and the extents follow each other without a gap. No two neighbours are warm, none
 * are cold: what is freed is fused with both its neighbours at once, which the tags beside it name.
 * The indexes hold exactly the free runs. A dirty granule is in a warm run: of
 * others their extent knows.
 *
 * <p><b>Mappings.</b> A reservation begins as one mapping. The kernel joins neighbours only if
 * they are of one origin: their memory is at home where it is, and first came to them while they
 * were one mapping. <b>Moved</b> granules may not be of the origin of the reservation, and may have
 * a mapping each: {@code seams} counts the borders between granules of which one is moved. All
 * others are of one origin, so the reservation has at most {@code 1 + seams} mappings. Moved are
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
final class Area {
    private final PageState owner;
    private final long address;
    private final int size;
    private final @Nullable Extent[] tags;
    private final BitSet dirty = new BitSet();
    private final BitSet moved = new BitSet();
    private final RunIndex warm;
    private final RunIndex cold;
    private int seams;
    private int dirtyCount;

    /** A reservation that is free as a whole. */
    Area(PageState owner, long address, int size, State state) {
        this.owner = owner;
        this.address = address;
        this.size = size;
        this.tags = new @Nullable Extent[size];
        this.warm = new RunIndex(size);
        this.cold = new RunIndex(size);
        addFree(new Extent(this, 0, size, state));
    }

    PageState owner() {
        return owner;
    }

    long address() {
        return address;
    }

    long address(int index) {
        return address + Granules.bytes(index);
    }

    int size() {
        return size;
    }

    long bytes() {
        return Granules.bytes(size);
    }

    int seams() {
        return seams;
    }

    RunIndex index(State state) {
        return state == State.WARM ? warm : cold;
    }

    /** The lowest free run of a kind; null if there is none. */
    @Nullable Extent lowest(State state) {
        int first = index(state).lowest();
        return first == BitTree.NONE ? null : tags[first];
    }

    /** The highest free run of a kind, likewise. */
    @Nullable Extent highest(State state) {
        int first = index(state).highest();
        return first == BitTree.NONE ? null : tags[first];
    }

    /** A free run of a kind with at least so many granules, the highest usually; likewise. */
    @Nullable Extent highestFitting(State state, int count) {
        int first = index(state).highestFitting(count, this);
        return first == BitTree.NONE ? null : tags[first];
    }

    /** The same, the lowest usually. */
    @Nullable Extent lowestFitting(State state, int count) {
        int first = index(state).lowestFitting(count, this);
        return first == BitTree.NONE ? null : tags[first];
    }

    /** The highest free run of a kind and class, of which there are some. */
    Extent highestOfClass(State state, int runClass) {
        return at(index(state).highestOfClass(runClass));
    }

    /** The extent that begins or ends with a granule. */
    Extent at(int granule) {
        Extent extent = tags[granule];
        if (extent == null) {
            throw new AssertionError("an extent has its tags: granule=" + granule);
        }
        return extent;
    }

    /**
     * Cuts a part out of a free run; what remains at either side stays free. The part is always an
     * extent of its own: whoever kept one that was free meanwhile cannot mistake it for this one.
     *
     * @param from the first granule of the part
     * @param count its size
     * @param state what it is now
     */
    Extent cut(Extent run, int from, int count, State state) {
        index(run.state).remove(run.first, run.count);
        int end = from + count;
        int runEnd = run.end();
        int left = from - run.first;
        untag(run);
        if (left > 0) {
            run.count = left;
            addFree(run);
        }
        if (end < runEnd) {
            if (left > 0) {
                addFree(new Extent(this, end, runEnd - end, run.state));
            } else {
                run.first = end;
                run.count = runEnd - end;
                addFree(run);
            }
        }
        Extent part = new Extent(this, from, count, state);
        tag(part);
        liftDirt(part);
        return part;
    }

    /** Cuts the lowest granules of a free run. */
    Extent cutLow(Extent run, int count, State state) {
        return cut(run, run.first, count, state);
    }

    /** Cuts the highest granules of a free run. */
    Extent cutHigh(Extent run, int count, State state) {
        return cut(run, run.end() - count, count, state);
    }

    /**
     * Splits an extent that is in somebody's hands.
     *
     * @param count the granules that it keeps, fewer than it has
     * @return the rest, in the same state
     */
    Extent split(Extent extent, int count) {
        Extent rest = new Extent(this, extent.first + count, extent.count - count, extent.state);
        BitSet all = extent.dirty;
        if (all != null) {
            rest.dirty = all.get(count, extent.count);
            extent.dirty = all.get(0, count);
        }
        extent.count = count;
        tag(extent);
        tag(rest);
        return rest;
    }

    /** Frees an extent, and fuses it with its neighbours of the same kind. */
    void free(Extent extent, State state) {
        Extent run = extent;
        dropDirt(run);
        run.state = state;
        if (run.first > 0) {
            Extent left = at(run.first - 1);
            if (left.state == state) {
                index(state).remove(left.first, left.count);
                untag(run);
                untag(left);
                run.count += left.count;
                run.first = left.first;
            }
        }
        if (run.end() < size) {
            Extent right = at(run.end());
            if (right.state == state) {
                index(state).remove(right.first, right.count);
                untag(run);
                untag(right);
                run.count += right.count;
            }
        }
        addFree(run);
    }

    private void addFree(Extent run) {
        tag(run);
        index(run.state).add(run.first, run.count);
    }

    private void tag(Extent extent) {
        tags[extent.first] = extent;
        tags[extent.end() - 1] = extent;
    }

    private void untag(Extent extent) {
        tags[extent.first] = null;
        tags[extent.end() - 1] = null;
    }

    /** The extents, from the lowest address up. */
    List<Extent> extents() {
        List<Extent> extents = new ArrayList<>();
        for (int at = 0; at < size; at = at(at).end()) {
            extents.add(at(at));
        }
        return extents;
    }

    /** Whether it is one free run of this kind. */
    boolean isWhole(State state) {
        Extent first = at(0);
        return first.count == size && first.state == state;
    }

    /** How many granules of warm runs may not read as zero. */
    int dirtyCount() {
        return dirtyCount;
    }

    /** Hands what the area knows of dirt in an extent over to the extent. */
    private void liftDirt(Extent extent) {
        if (dirtyCount == 0) {
            return;
        }
        int first = dirty.nextSetBit(extent.first);
        if (first >= 0 && first < extent.end()) {
            BitSet lifted =
                    extent.count == 1 ? Extent.FIRST : dirty.get(extent.first, extent.end());
            dirty.clear(extent.first, extent.end());
            dirtyCount -= lifted.cardinality();
            extent.dirty = lifted;
        }
    }

    /** Takes over what an extent knows of its dirt. */
    private void dropDirt(Extent extent) {
        BitSet dropped = extent.dirty;
        if (dropped != null) {
            for (int i = dropped.nextSetBit(0); i >= 0; i = dropped.nextSetBit(i + 1)) {
                dirty.set(extent.first + i);
            }
            dirtyCount += dropped.cardinality();
            extent.dirty = null;
        }
    }

    /** The warm run with the lowest dirty granule; null if there is none. */
    @Nullable Extent lowestDirty() {
        int granule = dirty.nextSetBit(0);
        return granule < 0 ? null : at(warm.startAtOrBefore(granule));
    }

    /** The lowest dirty granule of a run that has one. */
    int firstDirty(Extent run) {
        return dirty.nextSetBit(run.first);
    }

    /** Whether any of these granules is moved. */
    boolean anyMoved(int from, int count) {
        int next = moved.nextSetBit(from);
        return next >= 0 && next < from + count;
    }

    /** The memory of granules has gone elsewhere: those that stand alone are moved now. */
    void movedAway(int from, int count) {
        for (int i = from; i < from + count; i++) {
            boolean left = i > 0 && !moved.get(i - 1);
            boolean right = i + 1 < size && !moved.get(i + 1);
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
        return from == 0 || !moved.get(from - 1);
    }

    /** Says of granules whether they are moved. */
    void setMoved(int from, int count, boolean value) {
        seams -= seamsAround(from, count);
        moved.set(from, from + count, value);
        seams += seamsAround(from, count);
    }

    /** The borders of so many granules, those at both ends included, where a mapping may end. */
    private int seamsAround(int from, int count) {
        int found = 0;
        int end = Math.min(from + count, size - 1);
        for (int border = Math.max(from, 1); border <= end; border++) {
            if (moved.get(border - 1) || moved.get(border)) {
                found++;
            }
        }
        return found;
    }

    /** Checks the invariants. */
    void verify() {
        int[] warmRuns = new int[Integer.SIZE];
        int[] coldRuns = new int[Integer.SIZE];
        int ends = 0;
        for (int at = 0; at < size; ) {
            Extent extent = at(at);
            if (extent.area != this || extent.first != at || extent.count <= 0) {
                throw broken("extents follow each other", extent);
            }
            if (extent.end() > size || tags[extent.end() - 1] != extent) {
                throw broken("an extent has both its tags", extent);
            }
            ends += extent.count == 1 ? 1 : 2;
            if (extent.state != State.WARM && dirtyIn(extent) != 0) {
                throw broken("a dirty granule is in a warm run", extent);
            }
            if (extent.state == State.WARM || extent.state == State.COLD) {
                verifyFree(extent);
                (extent.state == State.WARM ? warmRuns : coldRuns)
                        [Granules.runClass(extent.count)]++;
            }
            at = extent.end();
        }
        int tagged = 0;
        for (Extent tag : tags) {
            tagged += tag == null ? 0 : 1;
        }
        if (tagged != ends) {
            throw broken("only ends have tags: tags=" + tagged + ", ends=" + ends, at(0));
        }
        warm.verify(warmRuns);
        cold.verify(coldRuns);
        if (dirtyCount != dirty.cardinality()) {
            throw broken("dirt is counted: dirty=" + dirtyCount, at(0));
        }
        if (seams != seamsAround(0, size)) {
            throw broken("seams are where one of two granules is moved: seams=" + seams, at(0));
        }
    }

    private void verifyFree(Extent run) {
        if (run.first > 0 && at(run.first - 1).state == run.state) {
            throw broken("free neighbours of one kind are one run", run);
        }
        if (!index(run.state).contains(run.first, run.count)) {
            throw broken("a free run is in its index", run);
        }
        if (run.dirty != null) {
            throw broken("of free granules the area knows whether they are dirty", run);
        }
    }

    private int dirtyIn(Extent extent) {
        return dirty.get(extent.first, extent.end()).cardinality();
    }

    private AssertionError broken(String rule, Extent extent) {
        return new AssertionError(rule + ": extent=" + extent + ", area=" + map());
    }

    /** One letter per granule: taken T, warm w, dirty d, cold dot, claimed c. */
    String map() {
        StringBuilder map = new StringBuilder();
        for (int at = 0; at < size; ) {
            Extent extent = tags[at];
            if (extent == null || extent.first != at || extent.count <= 0) {
                return map.append("?broken").toString();
            }
            for (int i = at; i < extent.end(); i++) {
                map.append(letter(extent.state, i, i == at));
            }
            at = extent.end();
        }
        return map.toString();
    }

    private char letter(State state, int granule, boolean first) {
        return switch (state) {
            case TAKEN -> first ? 'T' : 't';
            case WARM -> dirty.get(granule) ? 'd' : 'w';
            case COLD -> '.';
            case CLAIMED -> 'c';
        };
    }
}
