package io.polder.heap.space;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import io.polder.memory.FieldHandle;
import io.polder.page.space.Extent;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * A page with objects, one after the other; they are added at the end and never removed one by one.
 *
 * <pre>{@code
 *   address                              filled                bytes
 *   +--------+------+---------+---------+----------------------+
 *   | object | dead | object  | dead    |  room                |
 *   +--------+------+---------+---------+----------------------+
 *
 *    filled, dead:   bytes / 8 (39 bits) | objects (24 bits);   filled also: RETIRED (bit 63)
 * }</pre>
 *
 * <p><b>Life.</b> Objects are allocated until it is <i>retired</i>: from then on what was filled is
 * all there will be. Objects die when they are freed or copied elsewhere. When all are dead, and
 * everybody who may still look at them has left, the page goes back.
 *
 * <p><b>Phases</b> are those of the cycle in whose collection set the region is; {@link Cycle} says
 * what they mean to whom. Only a retired region is in a collection set.
 *
 * <p>Invariants: {@code dead <= filled}, in bytes and in objects; filled bytes are within the page;
 * objects tile what is filled once all who allocate have left, and none takes more than {@code
 * largest}.
 *
 * <p>Headers and words are primary; {@code dead} is derived from them and counts too little if
 * a thread failed between the two. The next cycle that evacuates the region finds that.
 *
 * <p>Ordering: {@code filled} and {@code dead} by atomic operations; a phase is written by the
 * cycle and read by all. The page is there before anybody can know the region.
 *
 * <p>Failure. Room and header are one step that nothing can divide: the header is written by a
 * store in place, for which there is stack, right after the compare-and-set that makes the room. So
 * objects tile a region whatever is thrown.
 */
final class Region {
    /** In no collection set. */
    static final int STABLE = 0;

    /** In a collection set; not all readers know. */
    static final int PREPARING = 1;

    /** Objects are copied out of it. */
    static final int EVACUATING = 2;

    /** Nobody begins to copy objects out of it; not all readers know. */
    static final int FINISHING = 3;

    private static final int UNIT_SHIFT = 24;
    private static final long OBJECT = 1;
    static final long OBJECTS_MASK = (1L << UNIT_SHIFT) - 1;
    private static final long RETIRED = Long.MIN_VALUE;

    /** Where in the counts what is filled and what is dead have two cache lines of their own. */
    private static final int FILLED = 16;

    private static final int DEAD = 32;
    private static final int COUNTS = 48;

    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle LARGEST =
            FieldHandle.of(MethodHandles.lookup(), "largest", long.class);
    private static final VarHandle HEADER = ValueLayout.JAVA_LONG.varHandle();

    static {
        // Linked here, once: that is no simple store, and needs a deep stack.
        HEADER.set(ADDRESS_SPACE, Arena.global().allocate(ValueLayout.JAVA_LONG).address(), 0L);
    }

    final RegionType type;

    /** Those that were opened before have smaller ones; written by {@link Regions}. */
    long number;

    /** Null before it was taken, and when it was given back; written by {@link Regions}. */
    @Nullable Extent page;

    private long address;
    private long bytes;

    /** How much of its page was written before there was an object. */
    long dirtyBefore;

    /** Whether it is one of the regions of the heap: objects can be there. */
    volatile boolean open;

    /** Whether it has given its page back, or got none; written by {@link Regions}. */
    volatile boolean gone;

    /** What no word names, as the last cycle has found it; packed; used by the cycle only. */
    long deadByWords;

    /** How much was not what lives when the last cycle began; used by the cycle only. */
    long wasted;

    /**
     * What is filled, which those write who allocate here, and what is dead, which all write who
     * free: apart from each other, and from what all read.
     */
    private final long[] counts = new long[COUNTS];

    /** No object here takes more, in bytes. */
    volatile long largest;

    volatile int phase;

    /** Whether it is in the collection set of a cycle that has not ended, or failed. */
    volatile boolean inCollectionSet;

    /** Whether it stays, since a segment lives that names its bytes; written by {@link Regions}. */
    volatile boolean lent;

    /** A region without a page. */
    Region(RegionType type) {
        this.type = type;
    }

    /** All objects that were ever here, packed, and whether it is retired. */
    long filled() {
        return (long) COUNT.getVolatile(counts, FILLED);
    }

    /** Those of them that are dead, packed. */
    long dead() {
        return (long) COUNT.getVolatile(counts, DEAD);
    }

    /** An object in {@code filled} or {@code dead}. */
    static long pack(long footprintBytes) {
        return ((footprintBytes / ObjectLayout.ALIGNMENT_BYTES) << UNIT_SHIFT) + OBJECT;
    }

    static long bytes(long packed) {
        return ((packed & ~RETIRED) >>> UNIT_SHIFT) * ObjectLayout.ALIGNMENT_BYTES;
    }

    /**
     * Makes room for an object and writes its header.
     *
     * @param header of the object, whose size fits into it
     * @return its address; 0 if there is none, or the region is retired
     */
    long allocate(long footprintBytes, long header) {
        long object = pack(footprintBytes);
        long now = filled();
        while (true) {
            long at = bytes(now);
            if (now < 0 || at + footprintBytes > bytes) {
                return 0;
            }
            noteSize(footprintBytes);
            long _ = ObjectLayout.probeStack(address + at);
            long witness = (long) COUNT.compareAndExchange(counts, FILLED, now, now + object);
            if (witness == now) {
                HEADER.set(ADDRESS_SPACE, address + at, header); // in place: see above
                return address + at;
            }
            now = witness;
        }
    }

    /** Whether there seems to be room for an object. */
    boolean hasRoom(long footprintBytes) {
        long now = filled();
        return now >= 0 && bytes(now) + footprintBytes <= bytes;
    }

    /** Before an object is there: so that none is ever larger than the largest. */
    private void noteSize(long footprintBytes) {
        for (long now = largest; now < footprintBytes; now = largest) {
            boolean _ = LARGEST.compareAndSet(this, now, footprintBytes);
        }
    }

    /**
     * Opens it as the region of one large object, retired. What is about to be written counts as
     * filled first: so a page that goes back from here says that it is not zero.
     *
     * @return the address of the object
     */
    long fillWithOne(long sizeBytes) {
        long one = pack(Long.BYTES + ObjectLayout.footprint(sizeBytes));
        COUNT.setVolatile(counts, FILLED, RETIRED | one);
        ObjectLayout.writeLongHeader(address + Long.BYTES, sizeBytes);
        open = true;
        return address + Long.BYTES;
    }

    /** Lets nothing be allocated here any more. */
    void retire() {
        long _ = (long) COUNT.getAndBitwiseOr(counts, FILLED, RETIRED);
    }

    boolean isRetired() {
        return filled() < 0;
    }

    /**
     * An object died.
     *
     * @return how many bytes are dead now
     */
    long died(long footprintBytes) {
        long died = pack(footprintBytes);
        return bytes((long) COUNT.getAndAdd(counts, DEAD, died) + died);
    }

    /** Whether nothing lives in it by the words of the handle table. */
    boolean isEmptyByWords() {
        return deadByWords == (filled() & ~RETIRED);
    }

    /** Counts what is dead by words and was not counted, a grace period after it was found. */
    void recount() {
        long counted = dead();
        long units = Math.max(0, (deadByWords >>> UNIT_SHIFT) - (counted >>> UNIT_SHIFT));
        long objects = Math.max(0, (deadByWords & OBJECTS_MASK) - (counted & OBJECTS_MASK));
        long _ = (long) COUNT.getAndAdd(counts, DEAD, (units << UNIT_SHIFT) + objects);
    }

    long filledBytes() {
        return bytes(filled());
    }

    long deadBytes() {
        return bytes(dead());
    }

    /** What came and went here: grows with each object, and again when it dies. */
    long usedBytes() {
        return filledBytes() + deadBytes();
    }

    /** How many objects there are, and were. */
    long filledObjects() {
        return filled() & OBJECTS_MASK;
    }

    long deadObjects() {
        return dead() & OBJECTS_MASK;
    }

    /** What objects take that are alive, or were a moment ago. */
    long liveBytes() {
        long died = dead(); // first: so that it is not more than what was filled
        return bytes(filled()) - bytes(died);
    }

    long liveObjects() {
        long died = dead() & OBJECTS_MASK;
        return (filled() & OBJECTS_MASK) - died;
    }

    /** Whether it is retired, all its objects are dead, and its page can go back. */
    boolean isEmptied() {
        return isMovable() && liveBytes() == 0;
    }

    /** Whether what lives in it may be copied elsewhere, so that its page can go back. */
    boolean isMovable() {
        return isRetired() && !lent;
    }

    /** Whether it stays until who asks leaves the access gate, and nothing is added any more. */
    boolean mayBeWalked() {
        return open && isMovable() && !inCollectionSet && liveBytes() > 0;
    }

    /** How much of its page was written, here or in the region that it had it from. */
    long dirtyBytes() {
        return Math.max(dirtyBefore, filledBytes());
    }

    boolean contains(long objectAddress) {
        return objectAddress >= address && objectAddress < address + bytes;
    }

    /** It has got its page. */
    void begin() {
        Extent taken = Objects.requireNonNull(page);
        address = taken.address();
        bytes = taken.bytes();
    }

    long address() {
        return address;
    }

    long bytes() {
        return bytes;
    }

    /** The address of the first object. */
    long firstObject() {
        return type == RegionType.LARGE ? address + Long.BYTES : address;
    }

    /** The address after the last object. */
    long endOfObjects() {
        return address + filledBytes();
    }
}
