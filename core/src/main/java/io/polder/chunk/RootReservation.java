package io.polder.chunk;

import io.polder.memory.MapSink;
import io.polder.memory.ReservedSpace;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * Address space for root chunks, used from its front.
 *
 * <pre>{@code
 *   | root 0 | root 1 | root 2 |  not used yet: nothing is known about it  |
 *   address                    address + started * ROOT_BYTES
 * }</pre>
 *
 * <p>It exists before its address space does, and for a moment after it. One of a space that is in
 * flight is being released.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to.
 */
final class RootReservation extends ReservedSpace {
    /** Those in use, and none behind them. */
    final @Nullable RootArea[] roots;

    /** How many roots are in use or were. */
    int started;

    /** A reservation to be, without a root in use, of whole root chunks. */
    RootReservation(long bytes) {
        super(bytes);
        this.roots = new RootArea[(int) (bytes / ChunkLevel.ROOT_BYTES)];
    }

    /** A root in use. */
    RootArea root(int index) {
        return Objects.requireNonNull(roots[index]);
    }

    boolean canStart() {
        return started < roots.length;
    }

    long nextAddress() {
        return address() + started * ChunkLevel.ROOT_BYTES;
    }

    /** Puts its next root into use. One store decides, and no call is made. */
    void start(RootArea root) {
        roots[started] = root;
        started++;
    }

    /**
     * Tells of its chunks: an area for each root chunk, and for those not used yet. Nothing while
     * it is being released.
     *
     * @param comesCommitted whether there is memory behind what is not used yet
     */
    void map(MapSink sink, boolean comesCommitted) {
        if (inFlight) {
            return;
        }
        for (int i = 0; i < started; i++) {
            RootArea root = root(i);
            root.map(RootArea.WHOLE, sink);
            long committed = root.committed.count() * root.pages.bytes();
            sink.area(ChunkSpace.PART, root.address, committed);
        }
        if (canStart()) {
            long unused = (roots.length - started) * ChunkLevel.ROOT_BYTES;
            sink.piece("UNUSED", unused, 0);
            sink.area(ChunkSpace.PART, nextAddress(), comesCommitted ? unused : 0);
        }
    }
}
