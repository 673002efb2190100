package io.polder.heap.space;

import io.polder.page.space.Extent;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

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
 * <p><b>Phases</b> are those of the cycle that has chosen the region; {@link Cycle} says what they
 * mean to whom. Only a retired region is chosen.
 *
 * <p>Invariants: {@code dead <= filled}, in bytes and in objects; filled bytes are within the page;
 * objects tile what is filled once all who allocate have left.
 *
 * <p>Ordering: {@code filled} and {@code dead} by atomic operations; a phase is written by the
 * cycle and read by all.
 */
final class Region {
    /** No cycle has chosen it. */
    static final int STABLE = 0;

    /** Chosen; not everybody knows. */
    static final int PREPARING = 1;

    /** Objects are copied out of it. */
    static final int EVACUATING = 2;

    /** Nobody begins to copy objects out of it; some may not know. */
    static final int FINISHING = 3;

    private static final int UNIT_SHIFT = 24;
    private static final long OBJECT = 1;
    private static final long OBJECTS_MASK = (1L << UNIT_SHIFT) - 1;
    private static final long RETIRED = Long.MIN_VALUE;

    private static final VarHandle FILLED;
    private static final VarHandle DEAD;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            FILLED = lookup.findVarHandle(Region.class, "filled", long.class);
            DEAD = lookup.findVarHandle(Region.class, "dead", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final Extent page;
    private final Kind kind;
    private final long address;
    private final long bytes;

    private volatile long filled;
    private volatile long dead;
    private volatile int phase;

    /** A region without objects in a page that the caller has. */
    Region(Extent page, Kind kind) {
        this.page = page;
        this.kind = kind;
        this.address = page.address();
        this.bytes = page.bytes();
    }

    private static long pack(long footprintBytes) {
        return ((footprintBytes / ObjectLayout.ALIGNMENT_BYTES) << UNIT_SHIFT) + OBJECT;
    }

    private static long bytes(long packed) {
        return ((packed & ~RETIRED) >>> UNIT_SHIFT) * ObjectLayout.ALIGNMENT_BYTES;
    }

    /**
     * Makes room for an object.
     *
     * @return its address; 0 if there is none, or the region is retired
     */
    long allocate(long footprintBytes) {
        long now = filled;
        while (true) {
            long at = bytes(now);
            if (now < 0 || at + footprintBytes > bytes) {
                return 0;
            }
            long witness = (long) FILLED.compareAndExchange(this, now, now + pack(footprintBytes));
            if (witness == now) {
                return address + at;
            }
            now = witness;
        }
    }

    /** Lets nothing be allocated here any more. */
    void retire() {
        long _ = (long) FILLED.getAndBitwiseOr(this, RETIRED);
    }

    boolean isRetired() {
        return filled < 0;
    }

    /**
     * An object died.
     *
     * @return how many bytes are dead now
     */
    long died(long footprintBytes) {
        long died = pack(footprintBytes);
        return bytes((long) DEAD.getAndAdd(this, died) + died);
    }

    long filledBytes() {
        return bytes(filled);
    }

    long deadBytes() {
        return bytes(dead);
    }

    /** What objects take that are alive, or were a moment ago. */
    long liveBytes() {
        long died = dead; // first: so that it is not more than what was filled
        return bytes(filled) - bytes(died);
    }

    long liveObjects() {
        long died = dead & OBJECTS_MASK;
        return (filled & OBJECTS_MASK) - died;
    }

    /** Whether it is retired and all its objects are dead; it will stay so. */
    boolean isEmptied() {
        return isRetired() && liveBytes() == 0;
    }

    int phase() {
        return phase;
    }

    void setPhase(int phase) {
        this.phase = phase;
    }

    Extent page() {
        return page;
    }

    Kind kind() {
        return kind;
    }

    long address() {
        return address;
    }

    long bytes() {
        return bytes;
    }

    /** The address after the last object. */
    long endOfObjects() {
        return address + filledBytes();
    }

    /** Checks the invariants that hold at every moment. */
    void verify() {
        long died = dead;
        long all = filled;
        boolean holds =
                bytes(died) <= bytes(all)
                        && (died & OBJECTS_MASK) <= (all & OBJECTS_MASK)
                        && bytes(all) <= bytes;
        if (!holds) {
            throw new AssertionError("0 <= dead <= filled <= bytes: " + this);
        }
    }

    @Override
    public String toString() {
        return "Region[address=0x"
                + Long.toHexString(address)
                + ", bytes="
                + bytes
                + ", kind="
                + kind
                + ", retired="
                + isRetired()
                + ", filledBytes="
                + filledBytes()
                + ", deadBytes="
                + deadBytes()
                + ", liveObjects="
                + liveObjects()
                + ", phase="
                + phase
                + "]";
    }
}
