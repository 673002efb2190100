package io.polder.arena;

import io.polder.memory.MemoryExhaustedException;

import java.util.ArrayList;
import java.util.List;

/** A listener that remembers what it was told. Not thread-safe. */
final class RecordingListener implements ChunkSource.Listener {
    /** Remembers nothing. */
    static final ChunkSource.Listener NOTHING =
            new ChunkSource.Listener() {
                @Override
                public void chunksFreed() {}

                @Override
                public int trimOthers() {
                    return 0;
                }

                @Override
                public void exhausted(MemoryExhaustedException exhausted) {}
            };

    final List<MemoryExhaustedException> exhausted = new ArrayList<>();
    int chunksFreed;

    @Override
    public void chunksFreed() {
        chunksFreed++;
    }

    @Override
    public int trimOthers() {
        return 0;
    }

    @Override
    public void exhausted(MemoryExhaustedException failure) {
        exhausted.add(failure);
    }
}
