package io.polder.block;

import io.polder.memory.FieldHandle;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Finds the span that an address lies in.
 *
 * <pre>{@code
 *   entries[spread(address / UNIT_BYTES)]  -->  span, or the next entry, or the one after it ...
 * }</pre>
 *
 * <p>A table with a span in as many entries as it has units; but in one where it has one block,
 * which begins where the span does. Multiples of the golden ratio lie far apart, so that neighbours
 * have entries of their own. A look-up that does not end at the first entry costs each free of a
 * block in that span half as much again; so the table is sparse: at least {@link #SPARSE} entries
 * for one that is filled.
 *
 * <p>What is removed leaves {@link #GONE}, so that others are still found behind it, and what is
 * added takes its place. When more of the table is used up, the spans move to a new one. Beyond
 * {@link #LENGTH_MAX} entries, for 8 TiB of spans, they lie closer together.
 *
 * <p>Invariants: each unit of a span in the map where a block may begin is found; {@code filled}
 * entries are not empty, at most one of {@link #SPARSE}.
 *
 * <p><b>Ordering.</b> A look-up has no lock. A thread that frees a block got its address after its
 * span was added, so it finds it: in that table, or in a later one, which was filled before it was
 * published by a release that the look-up acquires.
 *
 * <p><b>Errors.</b> A span that an error keeps from being added or removed as a whole is {@link
 * Lost}, and has no memory: its entries count as {@link #GONE}, but are not used again before all
 * spans move.
 *
 * <p>Thread-safe: changes have a lock, the innermost but those of chunks.
 */
final class SpanMap {
    private static final VarHandle ENTRIES =
            FieldHandle.of(MethodHandles.lookup(), "entries", Span[].class);

    /** Spans are at least so large, and begin at multiples of it. */
    static final long UNIT_BYTES = 64 << 10;

    private static final int UNIT_SHIFT = 16;

    /** Spreads neighbours far apart: 2^64 divided by the golden ratio, made odd. */
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    /** Entries for each that is filled. Of a span of 64 KiB they take 32 to 128 bytes. */
    private static final int SPARSE = 8;

    /** For as many spans as there are classes of small blocks. */
    private static final int LENGTH_AT_FIRST = 256;

    /** No array is twice as long. With so many entries there are fewer for each that is filled. */
    private static final int LENGTH_MAX = 1 << 30;

    /** Entries for each that is filled in a table of that length, at least. */
    private static final int LEAST_SPARSE = 2;

    /** What was a span's. */
    private static final Span GONE = Span.of(ThreadHeap.NOBODY);

    Span[] entries = empty(LENGTH_AT_FIRST);

    /** Entries that are not empty. */
    int filled;

    private static Span[] empty(int length) {
        Span[] entries = new Span[length];
        Arrays.fill(entries, Span.NONE);
        return entries;
    }

    private Span[] entriesAcquire() {
        return (Span[]) ENTRIES.getAcquire(this);
    }

    /**
     * Where the look-up of a unit begins. Spread, since the 64 units of a root chunk would lie side
     * by side, and look-ups that meet others there would pass them all.
     */
    private static int index(long unit, int mask) {
        return (int) ((unit * SPREAD) >>> Integer.SIZE) & mask;
    }

    /** The span that an address lies in, mostly: a guess, which {@link #find} makes sure of. */
    Span guess(long address) {
        Span[] all = entriesAcquire();
        return all[index(address >>> UNIT_SHIFT, all.length - 1)];
    }

    /** The span that a block may begin in at an address; {@link Span#NONE} if none may. */
    Span find(long address) {
        Span[] all = entriesAcquire();
        int mask = all.length - 1;
        int at = index(address >>> UNIT_SHIFT, mask);
        while (all[at] != Span.NONE && !all[at].covers(address)) {
            at = (at + 1) & mask;
        }
        return all[at];
    }

    /** Adds a span that has a base; what was added already, not once more. */
    synchronized void add(Span span) {
        int units = units(span);
        if (filled + units > filledMax(entries.length)) {
            rebuild(units);
        }
        for (int unit = 0; unit < units; unit++) {
            filled += add(entries, span, unit);
        }
    }

    /** How many entries of a table may be filled. */
    static int filledMax(int length) {
        return length / (length < LENGTH_MAX ? SPARSE : LEAST_SPARSE);
    }

    /**
     * How long a table is in which so many entries are to be filled, and others soon.
     *
     * @throws OutOfMemoryError if no table can be so long
     */
    static int length(long wanted) {
        long length = LENGTH_AT_FIRST;
        while (length < LENGTH_MAX && length < 2 * SPARSE * wanted) {
            length *= 2;
        }
        if (wanted > filledMax((int) length)) {
            throw new OutOfMemoryError("spans must fit their table: units=" + wanted);
        }
        return (int) length;
    }

    /** Returns how many entries it fills: none, if a look-up of the unit ends at the span. */
    private static int add(Span[] all, Span span, int unit) {
        int mask = all.length - 1;
        int at = index((span.base >>> UNIT_SHIFT) + unit, mask);
        int gone = -1;
        while (all[at] != Span.NONE) {
            if (all[at] == span) {
                return 0;
            }
            if (all[at] == GONE && gone < 0) {
                gone = at;
            }
            at = (at + 1) & mask;
        }
        if (gone >= 0) {
            all[gone] = span;
            return 0;
        }
        all[at] = span;
        return 1;
    }

    /** Moves all spans to a table with room for so many units more. */
    private void rebuild(int more) {
        Set<Span> spans = spans();
        long wanted = more;
        for (Span span : spans) {
            wanted += units(span);
        }
        Span[] fresh = empty(length(wanted));
        int count = 0;
        for (Span span : spans) {
            int units = units(span);
            for (int unit = 0; unit < units; unit++) {
                count += add(fresh, span, unit);
            }
        }
        ENTRIES.setRelease(this, fresh); // and if this is as far as it comes, too much is filled
        filled = count;
    }

    /** Removes a span, as far as it is here. */
    synchronized void remove(Span span) {
        Span[] all = entries;
        int mask = all.length - 1;
        int units = span.isLarge() ? 1 : (int) (span.coveredBytes() >>> UNIT_SHIFT);
        for (int unit = 0; unit < units; unit++) { // of what it was before as well
            int at = index((span.base >>> UNIT_SHIFT) + unit, mask);
            while (all[at] != Span.NONE) {
                if (all[at] == span) {
                    all[at] = GONE;
                }
                at = (at + 1) & mask;
            }
        }
    }

    /** In how many units a block may begin. */
    static int units(Span span) {
        boolean isSingle = span.isLarge() || span.bytes == span.blockBytes;
        return isSingle ? 1 : (int) (span.coveredBytes() >>> UNIT_SHIFT);
    }

    /** The span that an address lies in, wherever in it; {@link Span#NONE} if it is in none. */
    Span covering(long address) {
        for (Span span : entriesAcquire()) {
            if (span.covers(address)) {
                return span;
            }
        }
        return Span.NONE;
    }

    /**
     * The spans in the map, as far as one can see without a lock: others may add and remove
     * meanwhile, and a span that they do may be missed.
     */
    Set<Span> spans() {
        Set<Span> all = new LinkedHashSet<>();
        for (Span span : entriesAcquire()) {
            if (span.coveredBytes() > 0) { // neither none, nor gone, nor one that is lost
                all.add(span);
            }
        }
        return all;
    }
}
