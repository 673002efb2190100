package io.polder.chunk;

import org.jspecify.annotations.Nullable;

/**
 * Address space for root chunks, used from its front.
 *
 * <pre>{@code
 *   | root 0 | root 1 | root 2 |  not used yet: nothing is known about it  |
 *   address                    address + started * ROOT_BYTES
 * }</pre>
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class RootReservation {
    private final long address;
    private final long bytes;
    private final @Nullable RootArea[] roots;
    private int started;
    private boolean leaving;

    /** A reservation without a root in use, of whole root chunks. */
    RootReservation(long address, long bytes) {
        this.address = address;
        this.bytes = bytes;
        this.roots = new RootArea[(int) (bytes / ChunkLevel.ROOT_BYTES)];
    }

    long address() {
        return address;
    }

    long bytes() {
        return bytes;
    }

    int rootCount() {
        return roots.length;
    }

    /** How many roots are in use or were. */
    int started() {
        return started;
    }

    @Nullable RootArea root(int index) {
        return roots[index];
    }

    boolean contains(long other) {
        return other >= address && other - address < bytes;
    }

    boolean canStart() {
        return started < roots.length && !leaving;
    }

    long nextAddress() {
        return address + started * ChunkLevel.ROOT_BYTES;
    }

    void start(RootArea root) {
        roots[started++] = root;
    }

    /** Says whether it is about to be released: then no further root is started in it. */
    void setLeaving(boolean value) {
        leaving = value;
    }
}
