package io.polder.chunk;

import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.OsCallException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Memory that is larger than a root chunk: each piece a mapping of its own.
 *
 * <pre>{@code
 *            take                 give
 *   nothing ------> taken ---------------------> nothing
 *                     |   release is refused        ^
 *                     +-------> stranded -----------+
 *                                         retry
 * }</pre>
 *
 * <p>A mapping counts as committed as a whole, since it is one allocation that may be written from
 * end to end. One that the operating system refuses to release is <em>stranded</em>: it belongs to
 * nobody, keeps counting as reserved, and is tried again with every trim and every large take.
 *
 * <p><b>Locking.</b> Taking, and releasing what is stranded, hold the monitor of {@link Growth};
 * the maps are guarded by that of {@link SpaceState}.
 */
final class LargeMappings {
    private final SpaceState state;
    private final Growth growth;
    private final Map<Long, Long> taken = new TreeMap<>();
    private final Map<Long, Long> stranded = new TreeMap<>();

    /** What the ledger was charged with, reserved and committed: taken, stranded, coming, going. */
    private long chargedBytes;

    LargeMappings(SpaceState state, Growth growth) {
        this.state = state;
        this.growth = growth;
    }

    /** Takes a mapping of so many bytes, rounded up to whole OS pages; returns its address. */
    long take(long bytes) {
        if (bytes <= 0 || bytes > MemoryLimits.ADDRESS_SPACE_BYTES) {
            throw sizeRefused(bytes);
        }
        long size = state.pages.roundUp(bytes);
        synchronized (growth) {
            releaseStranded();
            charge(size);
            long address = 0;
            try {
                address = state.provider.reserve(size, ChunkLevel.ROOT_BYTES);
                state.provider.commit(address, size);
            } catch (OsCallException refusal) {
                abandon(address, size, refusal);
                throw MemoryExhaustedException.refused(refusal);
            }
            synchronized (state) {
                taken.put(address, size);
                state.ledger.usedBytes += size;
            }
            return address;
        }
    }

    private IllegalArgumentException sizeRefused(long bytes) {
        return new IllegalArgumentException(
                "a large mapping must have from 1 byte to the address space, "
                        + MemoryLimits.ADDRESS_SPACE_BYTES
                        + ": bytes="
                        + bytes);
    }

    /** Charges both limits, after making room where one is in the way. */
    private void charge(long size) {
        synchronized (state) {
            state.checkOpenLocked();
        }
        MemoryBudget budget = state.budget;
        while (!budget.tryReserve(size)) {
            if (!budget.makeReservedRoom(size)) {
                throw budget.reservedExhausted(size);
            }
        }
        while (!budget.tryCommit(size)) {
            if (!budget.makeRoom(size)) {
                budget.released(size);
                throw budget.committedExhausted(size);
            }
        }
        synchronized (state) {
            state.ledger.reserved(size);
            state.ledger.committed(size / state.pages.bytes(), state.pages);
            chargedBytes += size;
        }
    }

    /** Takes back a charge, and the mapping if there is one already. */
    private void abandon(long address, long size, OsCallException refusal) {
        synchronized (state) {
            state.ledger.refused(refusal);
        }
        if (address == 0) {
            uncharge(size);
        } else {
            release(address, size);
        }
    }

    /**
     * Gives a mapping back.
     *
     * @throws IllegalArgumentException if none that is taken begins there
     */
    void give(long address) {
        long size;
        synchronized (state) {
            Long found = taken.remove(address);
            if (found == null) {
                throw new IllegalArgumentException(
                        "a large mapping must be taken, and given by its first byte: address=0x"
                                + Long.toHexString(address));
            }
            size = found;
            state.ledger.usedBytes -= size;
        }
        release(address, size);
    }

    /** Releases a mapping that nobody owns; strands it if that is refused. */
    private void release(long address, long size) {
        try {
            state.provider.release(address, size);
            uncharge(size);
        } catch (OsCallException refusal) {
            synchronized (state) {
                state.ledger.refused(refusal);
                stranded.put(address, size);
            }
        }
    }

    private void uncharge(long size) {
        synchronized (state) {
            state.ledger.uncommitted(size / state.pages.bytes(), state.pages);
            state.ledger.released(size);
            chargedBytes -= size;
        }
    }

    /** Tries again to release what could not be. */
    void releaseStranded() {
        synchronized (growth) {
            List<Long> addresses;
            synchronized (state) {
                addresses = new ArrayList<>(stranded.keySet());
            }
            for (long address : addresses) {
                Long size;
                synchronized (state) {
                    size = stranded.remove(address);
                }
                if (size != null) {
                    release(address, size);
                }
            }
        }
    }

    long takenBytesLocked() {
        return sum(taken);
    }

    long chargedBytesLocked() {
        return chargedBytes;
    }

    /** The mappings that have an owner: address and size. */
    Map<Long, Long> takenLocked() {
        return taken;
    }

    /** What must hold while nobody is taking or giving a large mapping. */
    void verifyAtRestLocked() {
        if (sum(taken) + sum(stranded) != chargedBytes) {
            throw new AssertionError(
                    "taken + stranded == charged: taken="
                            + taken
                            + ", stranded="
                            + stranded
                            + ", charged="
                            + chargedBytes);
        }
    }

    private static long sum(Map<Long, Long> mappings) {
        long sum = 0;
        for (long bytes : mappings.values()) {
            sum += bytes;
        }
        return sum;
    }
}
