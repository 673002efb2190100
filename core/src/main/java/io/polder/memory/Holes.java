package io.polder.memory;

import static io.polder.memory.LinuxConstants.MAP_FIXED_NOREPLACE;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Parts of reservations that a call may leave, or has left, without a mapping of ours.
 *
 * <pre>{@code
 *   noted --the call worked--> forgotten
 *     |  refused, or an error
 *     v
 *   filled, by a call that never replaces a mapping and said that it mapped --> forgotten
 *     |  refused, or something is there
 *     v
 *   lost: nobody's memory until its reservation is released
 * }</pre>
 *
 * <p>What is lost may be a stranger's by now. So it is nobody's memory, and no call is made on it
 * but the one that never replaces a mapping: not even when its reservation is released. Something
 * that is there counts as ours only where the kernel cannot have unmapped it: a sandbox refused the
 * call, or an error came before it was made. In doubt, addresses are lost.
 *
 * <p>To be used with the monitor of {@link Mappings} held, but for {@link #any}.
 */
final class Holes {
    private final LinuxCalls calls;
    private final Reservations reservations;
    private final int protection;
    private final int flags;

    private final List<Hole> all = new ArrayList<>();

    /** Written under the monitor; a thread that finds any without it takes it, and looks again. */
    private volatile boolean any;

    /** A range that may have no mapping of ours. */
    static final class Hole {
        final Reservation owner;
        final long address;
        final long bytes;

        /** Whether the kernel may have unmapped it, and so what is there may be a stranger's. */
        boolean mayBeGone;

        /** Whether it could not be filled. */
        boolean lost;

        Hole(Reservation owner, long address, long bytes) {
            this.owner = owner;
            this.address = address;
            this.bytes = bytes;
        }

        long end() {
            return address + bytes;
        }

        boolean overlaps(long from, long end) {
            return address < end && from < end();
        }
    }

    /** None; what is filled is mapped like this. */
    Holes(LinuxCalls calls, Reservations reservations, int protection, int flags) {
        this.calls = calls;
        this.reservations = reservations;
        this.protection = protection;
        this.flags = flags | MAP_FIXED_NOREPLACE;
    }

    /** Whether there may be any. */
    boolean any() {
        return any;
    }

    /** Notes what a call is about to unmap, or may. */
    Hole noteLocked(Reservation owner, long address, long bytes) {
        Hole hole = new Hole(owner, address, bytes);
        any = true;
        all.add(hole);
        return hole;
    }

    /** A range is ours, or the system's. Changes all or nothing, and allocates nothing. */
    void forgetLocked(Hole gone) {
        all.remove(gone);
        any = !all.isEmpty();
    }

    /** Fills what a call has left, and forgets what was lost of reservations that are released. */
    void fillLocked() {
        for (int at = all.size() - 1; at >= 0; at--) {
            Hole each = all.get(at);
            if (isOver(each)) {
                forgetLocked(each);
            }
        }
    }

    /** Maps a range again, once, if it is unmapped; returns whether it is no hole of ours now. */
    private boolean isOver(Hole hole) {
        if (!reservations.has(hole.owner)) {
            return true; // released, and what of it was ours is gone
        }
        if (hole.lost) {
            return false;
        }
        long mapped = calls.mmap(hole.address, hole.bytes, protection, flags);
        if (mapped == hole.address) {
            return true;
        }
        if (mapped >= 0) {
            calls.munmap(mapped, hole.bytes); // an old kernel, to which that was a mere wish
        }
        boolean something = mapped >= 0 || mapped == -Errno.EEXIST;
        hole.lost = hole.mayBeGone || !something;
        return !hole.lost;
    }

    /** The hole in a range with the lowest address; null if there is none. Allocates nothing. */
    @Nullable Hole nextLocked(long from, long end) {
        Hole lowest = null;
        for (int at = 0; at < all.size(); at++) {
            Hole each = all.get(at);
            if (each.overlaps(from, end) && (lowest == null || each.address < lowest.address)) {
                lowest = each;
            }
        }
        return lowest;
    }
}
