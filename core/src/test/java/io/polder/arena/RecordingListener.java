package io.polder.arena;

import io.polder.memory.MemoryExhaustedException;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** A listener that remembers what it was told, and has arenas make room. Not thread-safe. */
final class RecordingListener implements ChunkSource.Listener {
    final List<MemoryExhaustedException> exhausted = new ArrayList<>();
    int memoryFreed;

    /** Those of the source; null if there are none. */
    private @Nullable ArenaFactory arenas;

    /** Lets arenas make room from now on that were made of a source, if it has such a listener. */
    static ArenaFactory serve(ArenaFactory arenas) {
        if (arenas.source().listener instanceof RecordingListener listener) {
            listener.arenas = arenas;
        }
        return arenas;
    }

    @Override
    public void memoryFreed() {
        memoryFreed++;
    }

    @Override
    public boolean makeRoom() {
        return arenas != null && arenas.makeRoom();
    }

    @Override
    public long closesEnded() {
        return arenas == null ? 0 : arenas.closesEnded();
    }

    @Override
    public boolean awaitClosing(long endedBefore) {
        return arenas != null && arenas.awaitClosing(endedBefore);
    }

    @Override
    public void exhausted(MemoryExhaustedException failure) {
        exhausted.add(failure);
    }
}
