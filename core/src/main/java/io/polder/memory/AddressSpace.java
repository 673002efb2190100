package io.polder.memory;

import java.nio.file.Path;

/**
 * How much address space may still be reserved, where a process may not have all there is ({@code
 * ulimit -v}, {@code RLIMIT_AS}), or not all of it to write to ({@code ulimit -d}, {@code
 * RLIMIT_DATA}). Of both the one with less room counts; what follows is true of each.
 *
 * <pre>{@code
 * |..... the limit .............................................................|
 * |..... taken: heap, code, threads, libraries, reservations .....|.... left ....|
 *                                                  | may be reserved |  share   |
 * }</pre>
 *
 * <p><b>The JVM's share.</b> A JVM that gets no more address space does not throw: it ends the
 * process, whichever of its threads needs some: for a thread, for metaspace, for what a compiler
 * needs for a moment. So a share of the limit stays out of all reservations.
 *
 * <p><b>Where a reservation is refused</b> and an arena goes on with the JDK's memory, that comes
 * out of the share, as it would without Polder; but not the last {@link #LEAST_LEFT_BYTES}.
 *
 * <p><b>Where the limit is so low</b> that less than the share was left before anything was
 * reserved, the first {@link #FIRST_BYTES} of reservations may come out of the share: as much as
 * a program has for itself without Polder.
 *
 * <p>The limit and what is taken are asked for each time, since both change. What could not be read
 * is what it was. Where the kernel does not tell, there is no limit but what it refuses.
 * Thread-safe; it is exact as far as no others map meanwhile.
 */
final class AddressSpace {
    /** Guessed: a hundred threads, or two compilers at work and a few nodes of metaspace. */
    static final long SHARE_MIN_BYTES = 128L << 20;

    /** Guessed: JVMs with more threads have limits that are set for them. */
    static final long SHARE_MAX_BYTES = 1L << 30;

    /** Reservations that may come out of the share, as long as the least stays. */
    static final long FIRST_BYTES = 16L << 20;

    /** Guessed: what the compilers have been seen to need at a time. */
    static final long LEAST_LEFT_BYTES = 48L << 20;

    /** The JVM has this part of the limit, within the bounds above. Guessed. */
    private static final int SHARE_OF_LIMIT = 8;

    /** In front of what is mapped, in KiB: {@code statm} has pages, whose size may not be known. */
    private static final String MAPPED = "VmSize:";

    /** In front of what counts under {@code RLIMIT_DATA}: private, and may be written. */
    private static final String DATA = "VmData:";

    private final LinuxCalls calls;
    private final Path status;

    // Benign races: what was taken when it could be read last; negative before.
    private volatile long lastMapped = -1;
    private volatile long lastData = -1;

    AddressSpace(LinuxCalls calls) {
        this(calls, ProcFile.root().resolve("proc/self/status"));
    }

    AddressSpace(LinuxCalls calls, Path status) {
        this.calls = calls;
        this.status = status;
    }

    /**
     * How much more may be reserved; negative if others took a part of the share.
     *
     * @param reservedBytes how much is, by the caller
     * @return {@link Long#MAX_VALUE} if there is no limit, or it is not known what is taken
     */
    long roomBytes(long reservedBytes) {
        return Math.min(
                roomBytes(calls.addressSpaceMax(), MAPPED, reservedBytes),
                dataRoomBytes(reservedBytes));
    }

    /** The same for addresses that are mapped already, and become accessible. */
    long dataRoomBytes(long reservedBytes) {
        return roomBytes(calls.dataMax(), DATA, reservedBytes);
    }

    private long roomBytes(long max, String key, long reservedBytes) {
        long left = leftBytes(max, key);
        if (left == Long.MAX_VALUE) {
            return left;
        }
        long share = Math.clamp(max / SHARE_OF_LIMIT, SHARE_MIN_BYTES, SHARE_MAX_BYTES);
        long first = Math.min(FIRST_BYTES - reservedBytes, left - LEAST_LEFT_BYTES);
        return Math.max(left - share, first);
    }

    /** Whether the JVM can live when that much of its share is taken by others. */
    boolean leaves(long bytes) {
        return bytes <= leftBytes(calls.addressSpaceMax(), MAPPED) - LEAST_LEFT_BYTES
                && bytes <= leftBytes(calls.dataMax(), DATA) - LEAST_LEFT_BYTES;
    }

    private long leftBytes(long max, String key) {
        if (max < 0 || max == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        long taken = ProcFile.bytes(ProcFile.linesIfReadable(status), key);
        if (key.equals(MAPPED)) {
            taken = taken < 0 ? lastMapped : taken;
            lastMapped = taken;
        } else {
            taken = taken < 0 ? lastData : taken;
            lastData = taken;
        }
        return taken < 0 ? Long.MAX_VALUE : max - taken;
    }
}
