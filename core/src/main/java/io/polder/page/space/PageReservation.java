package io.polder.page.space;

import io.polder.memory.MapSink;
import io.polder.memory.ReservedSpace;
import io.polder.page.space.Extent.State;

import org.jspecify.annotations.Nullable;

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
 * <p><b>What decides</b> are {@code kinds}, {@code held}, {@link DirtyGranules} and {@link
 * MovedGranules}, and what the extents say: they change in a few stores without a call, so no error
 * can come in between. All else is derived from them, and {@link #rebuild} does it anew after a
 * change that was cut short.
 *
 * <p><b>Invariants.</b> The granules of an extent are held, and no others. A run is as long as its
 * kind goes: warm and cold neighbours are two runs, of one kind each. The indexes hold exactly the
 * free runs.
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

    final PageState owner;
    final int size;

    final byte[] kinds;
    final @Nullable Extent[] held;
    final DirtyGranules dirt;
    final MovedGranules moved;

    final int[] runs;
    final RunIndex warm;
    final RunIndex cold;

    /**
     * Whether the system was asked for huge pages behind all of it. Stored by the thread that asks.
     */
    volatile boolean wantsHugePages;

    /** A reservation that is free as a whole, before it has its address. */
    PageReservation(PageState owner, int size, byte kind) {
        super(Granules.bytes(size));
        this.owner = owner;
        this.size = size;
        this.wantsHugePages = owner.hugePages;
        this.kinds = new byte[size];
        this.held = new @Nullable Extent[size];
        this.dirt = new DirtyGranules(kinds);
        this.moved = new MovedGranules(size);
        this.runs = new int[size];
        this.warm = new RunIndex(runs);
        this.cold = new RunIndex(runs);
        for (int i = 0; i < size; i++) {
            kinds[i] = kind;
        }
        list(kind, 0, size);
    }

    long address(int index) {
        return address() + Granules.bytes(index);
    }

    RunIndex index(byte kind) {
        return kind == Kind.WARM ? warm : cold;
    }

    /** Whether a granule is free, without memory. */
    boolean isCold(int granule) {
        return kinds[granule] == Kind.COLD;
    }

    /**
     * Cuts a part out of a free run; what remains at either side stays free. Part of a change of
     * the state.
     *
     * @param part what has it from now on, {@linkplain Extent#prepared prepared} for that
     * @param next what the extent is now
     * @param charged how many of its granules are charged already
     */
    void hold(Extent part, State next, int charged) {
        int from = part.first;
        int end = part.end();
        byte kind = kinds[from];
        int run = index(kind).startAtOrBefore(from);
        int length = runs[run];
        part.warmTo = kind == Kind.WARM ? part.count : 0;
        part.charged = charged;
        for (int i = from; i < end; i++) {
            kinds[i] = Kind.HELD;
        }
        held[from] = part;
        part.state = next; // decided
        owner.warmFree -= part.warmTo;
        owner.countLocked(part, 1);
        index(kind).remove(run, length);
        if (from > run) {
            list(kind, run, from - run);
        }
        if (end < run + length) {
            list(kind, end, run + length - end);
        }
        if (kind == Kind.WARM && dirt.dirtyCount > 0) {
            dirt.count(from, end, -1);
        }
    }

    /**
     * Frees an extent, and coalesces it with its neighbours of the same kind. Part of a change of
     * the state.
     */
    void free(Extent extent, byte kind) {
        int first = extent.first;
        int end = extent.first + extent.count;
        owner.countLocked(extent, -1);
        for (int i = first; i < end; i++) {
            kinds[i] = kind;
        }
        held[first] = null;
        extent.state = State.GONE; // decided
        if (kind == Kind.WARM) {
            owner.warmFree += extent.count;
            dirt.count(first, end, 1);
        }
        coalesce(kind, first, end);
    }

    /** Gives a taken extent all that its taken neighbour has. Part of a change of the state. */
    void join(Extent extent, Extent next) {
        held[next.first] = null;
        next.state = State.GONE;
        extent.charged += next.charged;
        extent.count += next.count; // decided: there is no call in between
        extent.warmTo = extent.count;
    }

    /** How many of so many granules have no memory; negative if they are not all free. */
    int coldFrom(int first, int count) {
        int cold = 0;
        for (int i = first; i < first + count; i++) {
            if (i >= size || isHeld(i)) {
                return -1;
            }
            cold += isCold(i) ? 1 : 0;
        }
        return cold;
    }

    /** How many granules are free side by side at most, with memory or without. */
    int longestFree() {
        int longest = 0;
        int free = 0;
        for (int i = 0; i < size; i++) {
            free = isHeld(i) ? 0 : free + 1;
            longest = Math.max(longest, free);
        }
        return longest;
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

    /** The granule after the run or extent that begins at one. */
    int next(int at) {
        return at + (isHeld(at) ? held(at).count : runs[at]);
    }

    Extent held(int granule) {
        Extent extent = held[granule];
        if (extent == null) {
            throw new AssertionError("a held granule has an extent: granule=" + granule);
        }
        return extent;
    }

    /** Whether it is one free run of this kind. */
    boolean isWhole(byte kind) {
        return kinds[0] == kind && runs[0] == size;
    }

    /** Whether all of it is free, or lost. */
    boolean isWholeButLost() {
        int at = 0;
        while (at < size && (!isHeld(at) || held(at).state == State.LOST)) {
            at = next(at);
        }
        return at == size;
    }

    boolean isHeld(int granule) {
        return kinds[granule] == Kind.HELD;
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
            moved.set(extent.first, extent.count, true);
        } else if (extent.atHome) {
            moved.set(extent.first, extent.count, false);
        } else if (extent.warmFrom > 0) {
            moved.wentAway(extent.first, extent.warmFrom);
        }
        int from = extent.first + extent.warmFrom;
        int to = extent.first + extent.warmTo;
        for (int i = extent.end() - 1; i >= extent.first; i--) { // the first last: it says of all
            boolean warm = i >= from && i < to;
            // A call that was cut short, or refused, may have unmapped it.
            warm = warm && owner.provider.isWhole(address(i), PageSpace.GRANULE_BYTES);
            kinds[i] = warm ? Kind.WARM : Kind.COLD; // decided with the first
        }
        held[extent.first] = null;
        extent.state = State.GONE;
    }

    /** Does anew all that is derived. */
    void rebuild() {
        warm.clear();
        cold.clear();
        dirt.forgetCount();
        for (int at = 0; at < size; ) {
            byte kind = kinds[at];
            int end = at + 1;
            if (kind == Kind.HELD) {
                owner.countLocked(held(at), 1);
                end = at + held(at).count;
            } else {
                while (end < size && kinds[end] == kind) {
                    end++;
                }
                list(kind, at, end - at);
                if (kind == Kind.WARM) {
                    owner.warmFree += end - at;
                    dirt.count(at, end, 1);
                }
            }
            at = end;
        }
        moved.recount();
    }

    /**
     * Tells of its granules: an area, and in it a piece for each extent, each run without memory,
     * and each other granule.
     */
    void map(MapSink sink) {
        int cold = 0;
        int count;
        for (int at = 0; at < size; at += count) {
            String state = state(at);
            count = kinds[at] == Kind.WARM ? 1 : next(at) - at;
            cold += isCold(at) ? count : 0;
            long bytes = Granules.bytes(count);
            sink.piece(state, bytes, state.equals("USED") ? bytes : 0);
        }
        sink.area("pages", address(), Granules.bytes(size - cold));
    }

    private String state(int granule) {
        return switch (kinds[granule]) {
            case Kind.WARM -> dirt.dirty[granule] > 0 ? "DIRTY" : "FREE";
            case Kind.COLD -> "COLD";
            default -> held(granule).state == State.TAKEN ? "USED" : held(granule).state.name();
        };
    }
}
