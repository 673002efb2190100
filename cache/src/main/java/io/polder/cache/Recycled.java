package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.LongConsumer;

/**
 * Entries that were replaced, each of which another put writes again, if it needs as much room: so
 * it allocates nothing, and leaves nothing to compact.
 *
 * <pre>{@code
 *   put of a key that has an entry:
 *
 *     take one of the size --> write it --> Index: it, instead of the old one --> keep the old one
 *            | none                              line: another version
 *            +--> a new one                                                         | too many
 *                                                                                   +--> freed
 *   kept:    place of a thread --> size --> up to 16 entries
 * }</pre>
 *
 * <p>What is kept is in no index. But who has found it there before may read it still: he looks at
 * the version of the line afterwards, and then again for the key. Who only knows it as an entry, a
 * hand for instance, may read any mixture, and so believes nothing before he has found it in the
 * index.
 *
 * <p>Sizes are those with what aligns the next object. Large entries are lent where they are, and
 * so are not kept. All that are take a small part of what the entries of the cache take.
 *
 * <p>Reads may change when entries expire. A reader does that without a lock, by compare-and-set
 * from the deadline that he has read, and stands still before it as long as he likes: the entry may
 * be another key's by then, whose time must stay. So the deadline of an object never falls, and
 * each time that the object is written again, it gets a higher one than it ever had. What the
 * reader has seen it never has again. If the new one is not higher, the object waits for another
 * put, or is freed; and an entry that is to expire earlier than before becomes another object, by
 * {@link Touching}.
 *
 * <p>Failure. What an error takes from here and does not publish is freed, or stays unavailable
 * until the cache is closed.
 *
 * <p>Thread-safe, without locks.
 */
final class Recycled {
    /** Entries of one size at one place. */
    private static final int WAYS = 16;

    /** On either side of these in their array: so that nothing else is in their cache lines. */
    private static final int PAD = 8;

    private static final int UNIT_SHIFT = 3;

    /** One more than that of the largest entry that is kept. */
    private static final int SIZES = size(Entries.footprint(Scratch.ENTRY_BYTES)) + 1;

    /** A power of two: fewer than there are for counts, since each keeps entries of all sizes. */
    private static final int PLACES = Math.min(16, Places.COUNT);

    /** A kept byte for so many of entries, of all places. */
    private static final int PART = 64;

    /** What each place may keep however few entries there are. */
    private static final long PLACE_BYTES = 64 << 10;

    /** What some threads keep. */
    private static final class Place {
        final AtomicReferenceArray<@Nullable AtomicLongArray> ways =
                new AtomicReferenceArray<>(SIZES);

        /** Of how many sizes there were entries: they share what may be kept. */
        final AtomicInteger sizes = new AtomicInteger();

        /** The largest limit under which something was kept; racy. */
        long limit;
    }

    private final Index index;
    private final Entries entries;
    private final Counts counts;
    private final AtomicReferenceArray<@Nullable Place> places =
            new AtomicReferenceArray<>(Places.LENGTH);

    Recycled(Index index, Counts counts) {
        this.index = index;
        this.entries = index.entries;
        this.counts = counts;
    }

    /**
     * Takes an entry and writes it: the first that is not to expire too late for that. If all are,
     * one of them goes, so that those do not stay which nobody can use any more.
     *
     * @return its handle; {@link Store#NONE} if there is none of this size
     */
    long take(MemorySegment content) {
        Place place = places.get(place(Thread.currentThread().threadId()));
        int size = size(Entries.footprint(content.byteSize()));
        AtomicLongArray ways = place == null ? null : place.ways.get(size);
        if (ways == null) {
            return Store.NONE;
        }
        boolean tooLate = false;
        for (int i = PAD; i < PAD + WAYS; i++) {
            long handle = ways.get(i);
            if (handle != Store.NONE && ways.compareAndSet(i, handle, Store.NONE)) {
                if (write(handle, content)) {
                    return handle;
                }
                tooLate = true;
                if (!ways.compareAndSet(i, Store.NONE, handle)) {
                    entries.heap.free(handle);
                }
            }
        }
        long last = tooLate ? take(ways) : Store.NONE;
        if (last != Store.NONE) {
            entries.heap.free(last);
        }
        return Store.NONE;
    }

    /** Writes an entry that was taken; returns false, and leaves it, if it expires too late. */
    private boolean write(long handle, MemorySegment content) {
        long bytes = content.byteSize();
        boolean done = false;
        try {
            VarHandle.releaseFence(); // who sees such a byte sees the version that was before
            boolean renewed = entries.renew(handle, content);
            if (renewed) {
                if (entries.heap.size(handle) != bytes) {
                    entries.heap.resize(handle, bytes);
                }
                entries.heap.put(handle, 0, content);
            }
            done = true;
            return renewed;
        } finally {
            if (!done) {
                entries.heap.free(handle);
            }
        }
    }

    private static long take(AtomicLongArray ways) {
        for (int i = PAD; i < PAD + WAYS; i++) {
            long handle = ways.get(i);
            if (handle != Store.NONE && ways.compareAndSet(i, handle, Store.NONE)) {
                return handle;
            }
        }
        return Store.NONE;
    }

    /**
     * Keeps an entry that is in no index any more.
     *
     * @param footprint what it takes
     * @return false if it is the caller's to free
     */
    boolean keep(long handle, long footprint) {
        if (index.isTorn()) {
            return false;
        }
        long limit = limit();
        if (size(footprint) >= SIZES || footprint > limit) {
            return false;
        }
        try {
            Place place = place();
            place.limit = Math.max(place.limit, limit);
            AtomicLongArray ways = ways(place, size(footprint));
            return keep(handle, ways, footprint * place.sizes.get(), limit);
        } catch (OutOfMemoryError _) {
            return false; // the Java heap is full
        }
    }

    /** As many of each size as all sizes may have. */
    private static boolean keep(long handle, AtomicLongArray ways, long bytes, long limit) {
        long sum = bytes;
        for (int i = PAD; i < PAD + WAYS && sum <= limit; i++, sum += bytes) {
            if (ways.get(i) == Store.NONE && ways.compareAndSet(i, Store.NONE, handle)) {
                return true;
            }
        }
        return false;
    }

    /** Frees what is kept at some place, if that is too much since there are fewer entries now. */
    void trim(long number) {
        Place place = places.get(place(number));
        if (place != null && place.limit / 2 > limit()) {
            place.limit = 0;
            long _ = clear(place);
        }
    }

    /** Frees all that is kept; returns how many bytes it took. */
    long clear() {
        long bytes = 0;
        for (int i = 0; i < PLACES; i++) {
            Place place = places.get(place(i));
            bytes += place == null ? 0 : clear(place);
        }
        return bytes;
    }

    private long clear(Place place) {
        long bytes = 0;
        for (int size = 0; size < SIZES; size++) {
            AtomicLongArray ways = place.ways.get(size);
            for (int way = 0; ways != null && way < WAYS; way++) { // others may keep meanwhile
                long handle = take(ways);
                if (handle == Store.NONE) {
                    break;
                }
                entries.heap.free(handle);
                bytes += (long) size << UNIT_SHIFT;
            }
        }
        return bytes;
    }

    /** Shows what is kept, while nobody takes or keeps. */
    void forEach(LongConsumer visitor) {
        for (int i = 0; i < PLACES; i++) {
            Place place = places.get(place(i));
            for (int size = 0; place != null && size < SIZES; size++) {
                AtomicLongArray ways = place.ways.get(size);
                for (int way = PAD; ways != null && way < PAD + WAYS; way++) {
                    if (ways.get(way) != Store.NONE) {
                        visitor.accept(ways.get(way));
                    }
                }
            }
        }
    }

    /** What a place may keep now, in bytes. */
    private long limit() {
        return Math.max(PLACE_BYTES, counts.bytes.get() / PART / PLACES);
    }

    private static int place(long number) {
        return Places.of(number & (PLACES - 1));
    }

    private static int size(long footprint) {
        return (int) (footprint >> UNIT_SHIFT);
    }

    private Place place() {
        int number = place(Thread.currentThread().threadId());
        Place known = places.get(number);
        if (known == null) {
            Place made = new Place();
            Place others = places.compareAndExchange(number, null, made);
            return others == null ? made : others;
        }
        return known;
    }

    private static AtomicLongArray ways(Place place, int size) {
        AtomicLongArray known = place.ways.get(size);
        if (known == null) {
            AtomicLongArray made = new AtomicLongArray(PAD + WAYS + PAD);
            AtomicLongArray others = place.ways.compareAndExchange(size, null, made);
            if (others != null) {
                return others;
            }
            int _ = place.sizes.incrementAndGet();
            return made;
        }
        return known;
    }
}
