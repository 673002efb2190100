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

import io.polder.memory.Reservation.Hole;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * The mappings that the Linux provider has made: all calls that make, move and end some, one at a
 * time, and the record of each.
 *
 * <p><b>Holes.</b> The kernel unmaps the target of a call before it can fail. The hole may be given
 * to anybody then, and a later call on our range would hit a stranger's memory. So what would be
 * refused is found out first, on a mapping made for that: what there is too little of, then, is
 * missed before anything is unmapped. That was true a moment ago only. What is unmapped all the
 * same is a {@linkplain Hole hole} of its reservation:
 *
 * <pre>{@code
 *   the call worked ----------------------------------------------> whole
 *     |  refused, but not for want of a permission
 *     v
 *   noted --filled at once, by a call that never replaces a mapping--> whole
 *     |  refused, or something is there, or an error
 *     v
 *   lost: nobody's memory until its reservation is released
 * }</pre>
 *
 * <p>What is lost may be a stranger's by now. So no call is made on it, not even when its
 * reservation is released. In doubt, addresses are lost.
 *
 * <p><b>Left mapped.</b> Some addresses are read by threads that do not know that their reservation
 * has ended. They stay mapped, and are taken for later reservations: {@link #leftMapped}.
 *
 * <p><b>Locking.</b> Its monitor is innermost, and held during the calls, which the kernel does one
 * after another anyway.
 *
 * <p><b>Failure.</b> An error that comes out of a call came before it was made; after it, a hole is
 * noted by a store. A reservation stands, or ends, with the one store to {@link Reservations} that
 * follows the calls. What was mapped for one that does not stand is unmapped; should an error come
 * in the middle of that, addresses without memory are lost to the process.
 */
final class Mappings {
    private static final int ACCESSIBLE = PROT_READ | PROT_WRITE;
    private static final int MEMORY = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    private static final int MOVE_ANYWHERE = MREMAP_MAYMOVE | MREMAP_DONTUNMAP;
    private static final int MOVE = MOVE_ANYWHERE | MREMAP_FIXED;

    /** What worked on a mapping made for it is taken to work for so long: guessed. */
    private static final long REHEARSED_NANOS = 1_000_000;

    /** A reservation that came to lie in a hole is made again so often at most. */
    private static final int RESERVE_MAX = 8;

    private final LinuxCalls calls;
    private final long osPageSize;
    final AddressSpace addressSpace;
    final Reservations reservations = new Reservations();

    /** What was mapped for a reservation that does not stand; guarded by the monitor. */
    private final List<Reservation> leftovers = new ArrayList<>();

    /**
     * Addresses that stay mapped although their reservations have ended, for readers who do not
     * know that; guarded by the monitor.
     *
     * <pre>{@code
     *   reserved --releaseMapped--> left mapped: readable, zeros, no memory --reserve--> reserved
     * }</pre>
     *
     * <p>They are never unmapped, so a process has as many of them as it had reserved at a time,
     * and more where reservations did not fit into those that were left. A reservation that is
     * made of one takes all of it, and leaves it mapped again when it ends.
     */
    private final Reservations leftMapped = new Reservations();

    /** How much could be moved at {@link #rehearsedNanos}; guarded by the monitor. */
    private long rehearsedBytes;

    private long rehearsedNanos;

    Mappings(LinuxCalls calls, long osPageSize, AddressSpace addressSpace) {
        this.calls = calls;
        this.osPageSize = osPageSize;
        this.addressSpace = addressSpace;
    }

    /** How much more may be reserved; negative if others took of the JVM's share. */
    long roomBytes() {
        return addressSpace.roomBytes(reservations.bytes());
    }

    /** Makes a reservation; as {@link MemoryProvider#reserve}. */
    synchronized long reserve(long bytes, long alignment) {
        for (int left = leftovers.size(); left > 0; left--) {
            Reservation first = leftovers.removeFirst(); // before the call: then it is others'
            unmapOrLaterLocked(first.address, first.bytes());
        }
        Reservation made = new Reservation(0, bytes);
        Reservation[] room = reservations.roomForOneLocked();
        Reservation former = leftMapped.smallestMapped(bytes, alignment);
        if (former != null
                && bytes <= addressSpace.dataRoomBytes(reservations.bytes())
                && reserveAgainLocked(made, former, room)) {
            return made.address;
        }
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
        long left = mapApartLocked(bytes, mappedBytes, RESERVE_MAX);
        long right = left + mappedBytes;
        try {
            made.address = (left + osPageSize + unit - 1) & -unit;
            long origin = made.address - osPageSize;
            long end = made.address + bytes;
            unmap(left, origin - left);
            left = origin;
            unmap(end, right - end);
            right = end;
            long result = calls.mprotect(origin, end - origin, ACCESSIBLE);
            if (result < 0) {
                throw new OsCallException("mprotect", errno(result), origin, end - origin);
            }
            NativeAccess.view(origin, 1).set(ValueLayout.JAVA_BYTE, 0, (byte) 0); // has memory now
            reservations.sorted = ReservedSpace.with(reservations.sorted, made, room);
            return made.address;
        } catch (Throwable failure) {
            if (reservations.sorted != room) {
                unmapOrLaterLocked(left, right - left);
            }
            throw failure;
        }
    }

    /**
     * Makes a reservation of addresses that were left mapped; only what is asked for is accessible
     * and counts under {@code RLIMIT_DATA}.
     *
     * @return whether the system allows it
     */
    private boolean reserveAgainLocked(Reservation made, Reservation former, Reservation[] room) {
        if (calls.mprotect(former.address, made.bytes(), ACCESSIBLE) < 0) {
            return false;
        }
        made.address = former.address;
        made.mappedBytes = former.mappedBytes;
        made.leftMapped = true;
        Reservation[] others = ReservedSpace.without(leftMapped.sorted, former);
        reservations.sorted = ReservedSpace.with(reservations.sorted, made, room);
        leftMapped.sorted = others; // it stands
        return true;
    }

    private void unmap(long address, long bytes) {
        long result = bytes == 0 ? 0 : calls.munmap(address, bytes);
        if (result < 0) {
            throw new OsCallException("munmap", errno(result), address, bytes);
        }
    }

    /** Maps what lies in no hole; what does is mapped meanwhile, so that something else comes. */
    private long mapApartLocked(long bytes, long mappedBytes, int attempts) {
        if (attempts == 0) {
            throw new OsCallException("mmap outside of holes", Errno.ENOMEM, 0, bytes);
        }
        long mapped = calls.mmap(0, mappedBytes, PROT_NONE, MEMORY);
        if (mapped < 0) {
            throw new OsCallException("mmap", errno(mapped), 0, bytes);
        }
        if (!reservations.meetHole(mapped, mapped + mappedBytes)) {
            return mapped;
        }
        try {
            return mapApartLocked(bytes, mappedBytes, attempts - 1);
        } finally {
            unmapOrLaterLocked(mapped, mappedBytes);
        }
    }

    /** Unmaps what nobody has; where that is refused, it is tried again with each reservation. */
    private void unmapOrLaterLocked(long address, long bytes) {
        if (calls.munmap(address, bytes) < 0) {
            leftovers.add(new Reservation(address, bytes));
        }
    }

    /**
     * Ends a reservation; as {@link MemoryProvider#release}, or {@link
     * MemoryProvider#releaseMapped}. Leaves its holes alone.
     */
    synchronized void release(long address, long bytes, boolean mapped) {
        Reservation released = reservations.whole(address, bytes);
        released.leftMapped |= mapped;
        Reservation[] others = ReservedSpace.without(reservations.sorted, released);
        boolean stays = released.leftMapped;
        Reservation[] room = leftMapped.roomForOneLocked();
        Reservation[] left = stays ? ReservedSpace.with(leftMapped.sorted, released, room) : room;
        long allowed = stays ? rehearseLocked(osPageSize, false) : 0;
        if (allowed < 0) {
            throw new OsCallException(
                    "mmap", errno(allowed), released.address, released.mappedBytes);
        }
        boolean whole = released.holes == null;
        long end = released.address + released.mappedBytes;
        long from = released.address - (stays ? 0 : osPageSize);
        while (from < end) {
            Hole hole = released.nextHole(from, end);
            long to = hole == null ? end : hole.address();
            if (from < to) {
                endPartLocked(released, from, to - from);
            }
            from = hole == null ? end : hole.end();
        }
        if (stays && whole) { // with the next store: its addresses are for others
            leftMapped.sorted = left;
        }
        reservations.sorted = others; // it is released
    }

    /**
     * Unmaps a part of a reservation, or takes its memory and leaves it readable: then it is not
     * charged. From then on it is a hole, since the rest may stand for a while yet.
     */
    private void endPartLocked(Reservation owner, long address, long bytes) {
        Hole part = new Hole(address, bytes, owner.holes);
        boolean stays = owner.leftMapped;
        long result =
                stays
                        ? replaceLocked(owner, address, bytes, PROT_READ)
                        : calls.munmap(address, bytes);
        if (result < 0) {
            throw new OsCallException(stays ? "mmap" : "munmap", errno(result), address, bytes);
        }
        owner.holes = part;
    }

    /** Moves memory to a range that it replaces; returns zero or more, or a negated errno. */
    synchronized long move(long from, long to, long bytes) {
        long now = System.nanoTime();
        if (bytes > rehearsedBytes || now - rehearsedNanos > REHEARSED_NANOS) {
            long allowed = rehearseLocked(bytes, true);
            if (allowed < 0) {
                return allowed;
            }
            rehearsedBytes = bytes;
            rehearsedNanos = now;
        }
        Reservation owner = reservations.enclosing(to, bytes);
        Hole hole = new Hole(to, bytes, owner.holes);
        long result = calls.mremap(from, to, bytes, MOVE);
        if (result < 0 && result != -Errno.EPERM && result != -Errno.ENOSYS) {
            owner.holes = hole; // the call may have been made as far as that
            fillLocked(owner, hole);
        }
        return result;
    }

    /** Replaces a range by a fresh one; returns the same. */
    synchronized long renew(long address, long bytes) {
        long allowed = rehearseLocked(bytes, false);
        return allowed < 0
                ? allowed
                : replaceLocked(reservations.enclosing(address, bytes), address, bytes, ACCESSIBLE);
    }

    private long replaceLocked(Reservation owner, long address, long bytes, int protection) {
        Hole hole = new Hole(address, bytes, owner.holes);
        long result = calls.mmap(address, bytes, protection, MEMORY | MAP_FIXED);
        if (result < 0 && result != -Errno.EPERM && result != -Errno.ENOSYS) {
            owner.holes = hole; // the call may have been made as far as that
            fillLocked(owner, hole);
        }
        return result;
    }

    /** Maps a hole again, once. */
    private void fillLocked(Reservation owner, Hole hole) {
        rehearsedBytes = 0;
        int flags = MEMORY | MAP_FIXED_NOREPLACE;
        long address = hole.address();
        Hole others = hole.next();
        long mapped = calls.mmap(address, hole.bytes(), ACCESSIBLE, flags);
        if (mapped == address) {
            owner.holes = others;
        } else if (mapped >= 0) {
            calls.munmap(mapped, hole.bytes()); // an old kernel, to which that was a mere wish
        }
    }

    /**
     * Maps, and moves what it has mapped, replacing nothing: so what the process may not have,
     * addresses or mappings, is refused here. The kernel looks at some of that only when it has
     * unmapped the target already.
     */
    private long rehearseLocked(long bytes, boolean moves) {
        long from = calls.mmap(0, bytes, ACCESSIBLE, MEMORY);
        if (from < 0 || !moves) {
            return unmapRehearsedLocked(from, bytes);
        }
        try {
            return unmapRehearsedLocked(calls.mremap(from, 0, bytes, MOVE_ANYWHERE), bytes);
        } finally {
            long _ = unmapRehearsedLocked(from, bytes);
        }
    }

    /** Unmaps what was mapped; returns what the kernel said of that. */
    private long unmapRehearsedLocked(long mapped, long bytes) {
        if (mapped >= 0) {
            unmapOrLaterLocked(mapped, bytes);
        }
        return mapped;
    }

    static int errno(long result) {
        return Math.toIntExact(-result);
    }
}
