package io.polder.chunk;

import io.polder.memory.MapSink;

/** Tells of a space chunk by chunk: an area for each root chunk, and for those not used yet. */
final class SpaceMap {
    private SpaceMap() {}

    static void of(SpaceState state, MapSink sink) {
        synchronized (state) {
            state.recoverIfNeededLocked();
            for (RootReservation reservation : state.reserved) {
                if (reservation.inFlight) {
                    continue; // it is being released
                }
                int started = reservation.started;
                for (int i = 0; i < started; i++) {
                    RootArea root = reservation.root(i);
                    of(root, RootArea.WHOLE, sink);
                    long committed = root.committed.count() * state.pages.bytes();
                    sink.area(ChunkSpace.PART, root.address, committed);
                }
                if (reservation.canStart()) {
                    long unused = (reservation.roots.length - started) * ChunkLevel.ROOT_BYTES;
                    sink.piece("UNUSED", unused, 0);
                    long committed = state.provider.canUncommit() ? 0 : unused;
                    sink.area(ChunkSpace.PART, reservation.nextAddress(), committed);
                }
            }
        }
    }

    /** What a message says of a root. */
    static String line(RootArea root) {
        StringBuilder text = new StringBuilder();
        of(root, RootArea.WHOLE, (state, bytes, _) -> text.append(state).append(bytes).append(' '));
        return text.toString();
    }

    /** The chunks of a node, in the order of their addresses; unknown where there is none. */
    private static void of(RootArea root, int node, MapSink sink) {
        long bytes = ChunkLevel.bytes(RootArea.level(node));
        if (root.used.get(node)) {
            sink.piece("USED", bytes, bytes);
        } else if (root.warm.nodes.get(node)) {
            sink.piece("FREE", bytes, 0);
        } else if (root.cold.nodes.get(node)) {
            sink.piece("COLD", bytes, 0);
        } else if (bytes == ChunkLevel.SMALLEST_BYTES) {
            sink.piece("UNKNOWN", bytes, 0);
        } else {
            of(root, 2 * node, sink);
            of(root, 2 * node + 1, sink);
        }
    }
}
