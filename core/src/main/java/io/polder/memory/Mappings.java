package io.polder.memory;

import static io.polder.memory.LinuxConstants.MAP_ANONYMOUS;
import static io.polder.memory.LinuxConstants.MAP_FIXED;
import static io.polder.memory.LinuxConstants.MAP_FIXED_NOREPLACE;
import static io.polder.memory.LinuxConstants.MAP_NORESERVE;
import static io.polder.memory.LinuxConstants.MAP_PRIVATE;
import static io.polder.memory.LinuxConstants.MREMAP_DONTUNMAP;
import static io.polder.memory.LinuxConstants.MREMAP_FIXED;
import static io.polder.memory.LinuxConstants.MREMAP_MAYMOVE;
import static io.polder.memory.LinuxConstants.PROT_NONE;
import static io.polder.memory.LinuxConstants.PROT_READ;
import static io.polder.memory.LinuxConstants.PROT_WRITE;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;

/**
 * The mappings that the Linux provider has made: all calls that make, move and end some, one at a
 * time, and the record of each.
 *
 * <pre>{@code
 * unfinished:  begun --mmap--> mapped --ends cut off, mprotect, touched--> Reservations
 *                |                |  an error, a refusal
 *                v                v
 *             forgotten <-----unmapped
 *
 * holes:       noted --mremap, mmap(FIXED)--> forgotten
 *                |  an error, a refusal
 *                v
 *             filled, in a way that never replaces a mapping --> forgotten
 * }</pre>
 *
 * <p><b>Holes.</b> The kernel unmaps the target of a call before it can fail. Left alone, the hole
 * could be given to anybody, and a later call on our range would hit a stranger's memory.
 *
 * <p><b>Locking.</b> Its monitor is innermost, and held during the calls, which the kernel does one
 * after another anyway.
 *
 * <p><b>Failure.</b> What is about to be mapped, and what may become a hole, is noted before the
 * call, and the note is changed in place when the call has come back. Whoever is next to take the
 * monitor clears up first what was left by an error: unmaps what is unfinished and fills holes. If
 * the system refuses even that, the note stays for the one after. A release has happened when the
 * one store is done that follows the call; if an error comes out of it, it has not happened.
 */
final class Mappings {
    private static final int ACCESSIBLE = PROT_READ | PROT_WRITE;
    private static final int MEMORY = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    private static final int MOVE = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;

    private final LinuxCalls calls;
    private final long osPageSize;
    private final AddressSpace addressSpace;
    private final Reservations reservations = new Reservations();

    /** Guarded by the monitor. */
    private @Nullable Reservation unfinished;

    /** Written under the monitor; whoever finds any without it takes it, and looks again. */
    private volatile @Nullable Hole holes;

    /** A range that a call may leave unmapped. */
    private static final class Hole {
        final long address;
        final long bytes;
        @Nullable Hole next;

        Hole(long address, long bytes) {
            this.address = address;
            this.bytes = bytes;
        }
    }

    Mappings(LinuxCalls calls, long osPageSize, AddressSpace addressSpace) {
        this.calls = calls;
        this.osPageSize = osPageSize;
        this.addressSpace = addressSpace;
    }

    Reservations reservations() {
        return reservations;
    }

    /** How much more may be reserved; negative if others took of the JVM's share. */
    long roomBytes() {
        return addressSpace.roomBytes(reservations.bytes());
    }

    /** Whether the JVM can live when others have taken so much. */
    boolean leaves(long bytes) {
        return addressSpace.leaves(bytes);
    }

    /** Makes a reservation; as {@link MemoryProvider#reserve}. */
    synchronized long reserve(long bytes, long alignment) {
        clearUpLocked();
        Reservation made = new Reservation(bytes);
        Reservation[] room = reservations.roomForOneLocked();
        if (bytes > roomBytes()) {
            throw new OsCallException(
                    "mmap within RLIMIT_AS and RLIMIT_DATA, less the share of the JVM",
                    Errno.ENOMEM,
                    0,
                    bytes);
        }
        long unit = Math.max(alignment, osPageSize);
        // Where our page is larger than the kernel's, the mapping need not begin with one of ours.
        long astray = osPageSize - AuxiliaryVector.OS_PAGE_SIZE_MIN;
        // May exceed a signed long; the kernel takes it as unsigned and has no such space.
        long mappedBytes = bytes + unit + astray;
        made.next = unfinished;
        unfinished = made;
        long mapped = calls.mmap(0, mappedBytes, PROT_NONE, MEMORY);
        if (mapped < 0) {
            unfinished = made.next;
            throw new OsCallException("mmap", errno(mapped), 0, bytes);
        }
        made.left = mapped;
        made.right = mapped + mappedBytes;
        made.address = (mapped + osPageSize + unit - 1) & -unit;
        try {
            makeOneMappingLocked(made);
            made.memory = NativeAccess.view(made.address, bytes);
            LinuxMemoryProvider.touch(
                    NativeAccess.view(made.address - osPageSize, osPageSize), osPageSize);
            reservations.addLocked(made, room);
        } catch (Throwable failure) {
            clearUpLocked();
            throw failure;
        }
        unfinished = made.next;
        return made.address;
    }

    /** Cuts off both ends and makes the rest accessible. */
    private void makeOneMappingLocked(Reservation made) {
        long origin = made.address - osPageSize;
        long end = made.address + made.bytes;
        if (origin != made.left) {
            long result = calls.munmap(made.left, origin - made.left);
            if (result < 0) {
                throw new OsCallException("munmap", errno(result), origin, end - origin);
            }
            made.left = origin;
        }
        if (end != made.right) {
            long result = calls.munmap(end, made.right - end);
            if (result < 0) {
                throw new OsCallException("munmap", errno(result), origin, end - origin);
            }
            made.right = end;
        }
        long result = calls.mprotect(origin, end - origin, ACCESSIBLE);
        if (result < 0) {
            throw new OsCallException("mprotect", errno(result), origin, end - origin);
        }
    }

    /** Ends a reservation; as {@link MemoryProvider#release}. */
    synchronized void release(long address, long bytes) {
        clearUpLocked();
        Reservation released = reservations.whole(address, bytes);
        Reservation[] others = reservations.withoutLocked(released);
        long result = calls.munmap(address - osPageSize, osPageSize + bytes);
        if (result < 0) {
            throw new OsCallException("munmap", errno(result), address, bytes);
        }
        reservations.sorted = others;
    }

    /** Moves memory to a range that it replaces; returns zero or more, or a negated errno. */
    synchronized long move(long from, long to, long bytes) {
        clearUpLocked();
        Hole hole = noteLocked(to, bytes);
        long result = calls.mremap(from, to, bytes, MOVE);
        if (result >= 0) {
            holes = hole.next;
        } else {
            clearUpLocked();
        }
        return result;
    }

    /** Replaces a range by a fresh one; likewise. */
    synchronized long renew(long address, long bytes) {
        clearUpLocked();
        Hole hole = noteLocked(address, bytes);
        long result = calls.mmap(address, bytes, ACCESSIBLE, MEMORY | MAP_FIXED);
        if (result >= 0) {
            holes = hole.next;
        } else {
            clearUpLocked();
        }
        return result;
    }

    private Hole noteLocked(long address, long bytes) {
        Hole hole = new Hole(address, bytes);
        hole.next = holes;
        holes = hole;
        return hole;
    }

    /** Fills holes that an error or a refusal has left; takes no lock if there are none. */
    void fillHoles() {
        if (holes != null) {
            synchronized (this) {
                clearUpLocked();
            }
        }
    }

    private void clearUpLocked() {
        if (unfinished != null || holes != null) {
            unmapUnfinishedLocked();
            fillHolesLocked();
        }
    }

    private void unmapUnfinishedLocked() {
        Reservation before = null;
        Reservation each = unfinished;
        while (each != null) {
            boolean over = each.left == each.right || reservations.has(each);
            if (!over && calls.munmap(each.left, each.right - each.left) >= 0) {
                each.left = each.right; // at once: the range may be somebody else's now
                over = true;
            }
            Reservation next = each.next;
            if (!over) {
                before = each;
            } else if (before == null) {
                unfinished = next;
            } else {
                before.next = next;
            }
            each = next;
        }
    }

    private void fillHolesLocked() {
        Hole before = null;
        Hole each = holes;
        while (each != null) {
            Hole next = each.next;
            if (!fill(each)) {
                before = each;
            } else if (before == null) {
                holes = next;
            } else {
                before.next = next;
            }
            each = next;
        }
    }

    /**
     * Maps a range again if it is unmapped, and never over a mapping.
     *
     * @return whether it is no hole of ours now
     */
    private boolean fill(Hole hole) {
        if (!reservations.cover(hole.address, hole.bytes)) {
            return true; // released, which the system does for holes too
        }
        int flags = MEMORY | MAP_FIXED_NOREPLACE;
        long mapped = calls.mmap(hole.address, hole.bytes, ACCESSIBLE, flags);
        if (mapped >= 0 && mapped != hole.address) {
            calls.munmap(mapped, hole.bytes); // an old kernel, to which that was a mere wish
            return true;
        }
        return mapped >= 0 || mapped == -Errno.EEXIST;
    }

    /** A part of a reservation, all of which is mapped as far as the system allowed. */
    MemorySegment slice(long address, long bytes) {
        return reservations.slice(address, bytes);
    }

    static int errno(long result) {
        return Math.toIntExact(-result);
    }
}
