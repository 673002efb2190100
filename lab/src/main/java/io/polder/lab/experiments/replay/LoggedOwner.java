package io.polder.lab.experiments.replay;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;

/** An arena of the log, from its birth to its death. Not thread-safe. */
final class LoggedOwner {
    private final long bornAt;
    private long usedBytes;
    private @Nullable Arena arena;

    LoggedOwner(long bornAt) {
        this.bornAt = bornAt;
    }

    /** The index of the event with which it was born. */
    long bornAt() {
        return bornAt;
    }

    /** What it has requested. */
    long usedBytes() {
        return usedBytes;
    }

    void use(long bytes) {
        usedBytes += bytes;
    }

    /** What stands for it in the replay; null while there is nothing. */
    @Nullable Arena arena() {
        return arena;
    }

    void setArena(Arena arena) {
        this.arena = arena;
    }

    /** Closes what stands for it, if there is anything. */
    void closeArena() {
        Arena open = arena;
        if (open != null) {
            open.close();
            arena = null;
        }
    }
}
