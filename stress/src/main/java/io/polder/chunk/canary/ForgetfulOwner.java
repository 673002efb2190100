package io.polder.chunk.canary;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkSpace;

import org.jspecify.annotations.Nullable;

/**
 * Canary: takes a chunk, and notes it only after it was committed. Whatever is thrown in between,
 * the chunk belongs to nobody.
 */
public final class ForgetfulOwner {
    private final ChunkSpace space;
    private @Nullable Note note;

    private record Note(long chunk) {}

    /** Owns nothing yet. */
    public ForgetfulOwner(ChunkSpace space) {
        this.space = space;
    }

    /** Takes a chunk of a level. */
    public void take(int level) {
        long chunk = space.take(level, level);
        space.commit(chunk, 0, Chunk.bytes(chunk));
        note = new Note(chunk);
    }

    /** Gives what it knows of. */
    public void give() {
        Note known = note;
        if (known != null) {
            space.give(known.chunk(), Chunk.bytes(known.chunk()));
            note = null;
        }
    }
}
