package io.polder.chunk;

import io.polder.memory.MapSink;
import io.polder.memory.VirtualSpace;
import io.polder.memory.VirtualSpaceCheck;

/**
 * Checks the invariants of a whole space, as equations:
 *
 * <pre>{@code
 *   used + isolated   ==  capacity of used nodes
 *   committed        ==  pages that are committed, of all roots; and roots that were never used,
 *                        where memory comes with their addresses
 *   used             <=  reserved
 * }</pre>
 *
 * <p>and those of {@link VirtualSpace}, {@link RootArea} and {@link FreeRoots}.
 * They hold whenever the lock of {@link SpaceState} is free. It holds that lock.
 */
public final class SpaceCheck {
    private final SpaceState state;

    private SpaceCheck(SpaceState state) {
        this.state = state;
    }

    /**
     * Checks all invariants that hold while threads run; it stops them meanwhile.
     *
     * @throws AssertionError if one does not hold; says which, and shows the map
     */
    public static void verify(ChunkSpace space) {
        new SpaceCheck(space.state).verify();
    }

    /** Checks also what holds only while no other thread is in the space. */
    public static void verifyAtRest(ChunkSpace space) {
        SpaceCheck check = new SpaceCheck(space.state);
        check.verify();
        synchronized (check.state) {
            check.require(check.state.isolatedBytesLocked() == 0, "nothing is isolated", 0);
            for (RootReservation reservation : check.state.reserved) {
                check.require(!reservation.inFlight, "nothing is being released", 0);
            }
        }
    }

    /**
     * Whether a range is free: in a root chunk in use, and no part of it taken.
     *
     * @param space where
     * @param address any address of the space's root chunks in use
     * @param bytes the size; the range must not leave its root chunk
     * @throws IllegalArgumentException if the range does not lie in such a root chunk
     */
    public static boolean isFree(ChunkSpace space, long address, long bytes) {
        SpaceState state = space.state;
        synchronized (state) {
            state.recoverIfNeededLocked();
            RootArea root = state.roots.containing(address);
            long offset = address - root.address;
            if (bytes < 0 || bytes > ChunkLevel.ROOT_BYTES - offset) {
                throw new IllegalArgumentException(
                        "a range must lie in one root chunk: offset="
                                + offset
                                + ", bytes="
                                + bytes);
            }
            long smallest = ChunkLevel.SMALLEST_BYTES;
            long end = (offset + bytes + smallest - 1) / smallest;
            return !RootCheck.occupied(root).any((int) (offset / smallest), (int) end);
        }
    }

    private void verify() {
        synchronized (state) {
            state.recoverIfNeededLocked();
            verify(state.warm);
            verify(state.cold);
            long used = 0;
            long committed = 0;
            int roots = 0;
            for (RootArea root : state.roots.bySlot) {
                if (root != null) {
                    roots++;
                    committed += root.committed.count() * state.pages.bytes();
                    if (!isBeingReleased(root)) {
                        used += RootCheck.verify(root, state.isolatedBytesLocked() == 0);
                        continue;
                    }
                    int nodes = root.used.count();
                    nodes += root.warm.nodes.count() + root.cold.nodes.count();
                    require(nodes == 0, "what is being released is in no list", nodes);
                }
            }
            require(used == state.usedBytes + state.isolatedBytesLocked(), "used", used);
            committed += state.provider.canUncommit() ? 0 : unstartedBytes();
            require(committed == state.committedBytes, "committed", committed);
            checkReservations(roots);
            require(state.usedBytes <= state.reservedBytes, "used <= reserved", used);
            VirtualSpaceCheck.verifyLocked(state, () -> text(state));
        }
    }

    private boolean isBeingReleased(RootArea root) {
        for (RootReservation reservation : state.reserved) {
            if (reservation.contains(root.address)) {
                return reservation.inFlight;
            }
        }
        return false;
    }

    private long unstartedBytes() {
        long bytes = 0;
        for (RootReservation reservation : state.reserved) {
            bytes += (reservation.roots.length - reservation.started) * ChunkLevel.ROOT_BYTES;
        }
        return bytes;
    }

    private void checkReservations(int roots) {
        int started = 0;
        for (RootReservation reservation : state.reserved) {
            started += reservation.started;
            for (int i = 0; i < reservation.started; i++) {
                RootArea root = reservation.root(i);
                require(
                        state.roots.bySlot[root.slot] == root
                                && (reservation.inFlight
                                        || state.roots.containing(root.address) == root),
                        "a root is found by slot and, unless it leaves, by address",
                        i);
            }
        }
        require(started == roots, "roots", started);
    }

    private void require(boolean holds, String rule, long counted) {
        if (!holds) {
            throw new AssertionError(
                    rule
                            + ": counted="
                            + counted
                            + ", reserved="
                            + state.reservedBytes
                            + ", committed="
                            + state.committedBytes
                            + ", used="
                            + state.usedBytes
                            + ", isolated="
                            + state.isolatedBytesLocked()
                            + "\n"
                            + text(state));
        }
    }

    private static void verify(FreeRoots roots) {
        for (int level = 0; level < ChunkLevel.COUNT; level++) {
            int set = roots.slotsByLevel[level].count();
            if (((roots.levels & (1 << level)) != 0) != set > 0) {
                throw new AssertionError(
                        "a level is marked iff some root has a free chunk of it: level="
                                + level
                                + ", levels="
                                + Integer.toBinaryString(roots.levels)
                                + ", set="
                                + set);
            }
        }
    }

    /** A line for each root chunk, with a letter for each chunk. */
    static String text(SpaceState state) {
        StringBuilder text = new StringBuilder();
        StringBuilder letters = new StringBuilder();
        MapSink sink =
                new MapSink() {
                    @Override
                    public void piece(String piece, long bytes, long usedBytes) {
                        if (piece.equals("UNUSED")) {
                            return;
                        }
                        int level = Long.numberOfTrailingZeros(ChunkLevel.ROOT_BYTES / bytes);
                        letters.append(piece.equals("COLD") ? "-" : "")
                                .append(piece.equals("UNKNOWN") ? "?" : "")
                                .append((char) ((usedBytes > 0 ? 'A' : 'a') + level));
                    }

                    @Override
                    public void area(String part, long address, long committedBytes) {
                        text.append("0x%x  %dK  ".formatted(address, committedBytes / 1024))
                                .append(letters)
                                .append('\n');
                        letters.setLength(0);
                    }
                };
        synchronized (state) {
            state.recoverIfNeededLocked();
            for (RootReservation reservation : state.reserved) {
                reservation.map(sink, !state.provider.canUncommit());
            }
        }
        return text.toString();
    }
}
