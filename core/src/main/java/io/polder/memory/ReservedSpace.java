package io.polder.memory;

import java.util.Arrays;

/**
 * One contiguous range of address space of a {@link VirtualSpace} or a provider, from before the
 * operating system is asked for it until it is released. HotSpot calls it so.
 *
 * <p>A room that has a space of its own extends it by what stands in the range: root chunks, or
 * runs of granules.
 *
 * <p>Not thread-safe: guarded by the lock of its space, but for {@code address}, which who reserves
 * stores before anybody else knows the range, and {@code released}, which who releases it stores.
 */
public class ReservedSpace {
    private final long bytes;

    /** The first byte; 0 until it is reserved. */
    long address;

    /** Whether a thread is making the system call that reserves it, or releases it. */
    public boolean inFlight;

    /** It is released, and about to leave its space. Decides. */
    public boolean released;

    /** A range that is not reserved yet. */
    protected ReservedSpace(long bytes) {
        this.bytes = bytes;
    }

    /** The first byte; 0 until it is reserved. */
    public final long address() {
        return address;
    }

    /** Its size. */
    public final long bytes() {
        return bytes;
    }

    /** Where the last range is that begins at an address or below it; -1 if none does. */
    static int indexOfFloor(ReservedSpace[] sorted, long address) {
        int low = 0;
        int high = sorted.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (sorted[middle].address <= address) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /**
     * All of an array, and one more at its place.
     *
     * @param room is overwritten and returned: as long as the array, and one more
     */
    static <R extends ReservedSpace> R[] with(R[] sorted, R added, R[] room) {
        int at = indexOfFloor(sorted, added.address) + 1;
        System.arraycopy(sorted, 0, room, 0, at);
        room[at] = added;
        System.arraycopy(sorted, at, room, at + 1, sorted.length - at);
        return room;
    }

    /**
     * All of an array but one of its elements. Another one may have its address, if the system has
     * handed that out again already.
     */
    static <R extends ReservedSpace> R[] without(R[] sorted, R removed) {
        int at = 0;
        while (sorted[at] != removed) {
            at++;
        }
        R[] others = Arrays.copyOf(sorted, sorted.length - 1);
        System.arraycopy(sorted, at + 1, others, at, others.length - at);
        return others;
    }

    /** Whether an address lies in it. */
    public final boolean contains(long other) {
        return other >= address && other - address < bytes;
    }
}
