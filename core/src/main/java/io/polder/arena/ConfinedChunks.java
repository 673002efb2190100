package io.polder.arena;

import io.polder.leak.LeakTracker;
import io.polder.memory.Exhaustion;
import io.polder.memory.StackBang;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.util.Objects;

/**
 * What a confined arena holds that has not just a slab taken when it was opened: all its chunks,
 * and what must be known to give them back. So the arena itself can be removed by compilers.
 *
 * <p>Owned by the thread of the arena, and by the thread that ends a close of it which an error has
 * ended too early. Once it has nothing any more, the thread {@linkplain ThreadCache#spare keeps}
 * the object for its next arena: it is an object that lives long, so that arenas which outgrow a
 * slab make none. The arena that had it knows it still, and does not use it: its lifetime is dead.
 */
final class ConfinedChunks extends ArenaChunks {
    /** Where its slab comes from. */
    final SlabOwner home;

    /** Tracks leaks of the arena; null if it is not. */
    final @Nullable LeakTracker tracker;

    /** Where the last request begins; 0 if it failed. */
    long start;

    /** Why it failed; null if it did not. */
    @Nullable Throwable failure;

    /** How often room may be made for the last request, and what the pool had closed before it. */
    int attemptsLeft = Exhaustion.ATTEMPTS_MAX;

    long closesEnded;

    /** Where the arena goes on by itself, and up to where; 0 if nowhere. */
    long top;

    long limit;

    /** What the system gave the JDK, and not us; null if nothing. */
    private @Nullable Arena ofJdk;

    /** Whether an arena uses it, or it must not be used again. */
    boolean taken = true;

    /**
     * Of an arena that has no chunk yet.
     *
     * @param tracker tracks leaks of the arena; null if it is not
     */
    ConfinedChunks(ChunkSource source, SlabOwner home, @Nullable LeakTracker tracker) {
        super(source);
        this.home = home;
        this.tracker = tracker;
    }

    /**
     * Makes room for the last request, which failed.
     *
     * @throws OutOfMemoryError if there is none; and whatever else the request has thrown
     */
    void makeRoom() {
        Throwable thrown = failure;
        failure = null;
        int left = attemptsLeft;
        attemptsLeft = Exhaustion.ATTEMPTS_MAX; // for whatever comes if it throws
        if (thrown instanceof OutOfMemoryError full) {
            attemptsLeft = home.cache().source.makeRoom(left, closesEnded, full);
            return;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        throw Objects.requireNonNull((RuntimeException) thrown); // no method declares another one
    }

    /** Allocates the JDK's memory; all arenas may that the system refuses Polder's. */
    long allocateOfJdk(long bytes, long alignment) {
        Arena memory = ofJdk;
        if (memory == null) {
            memory = Arena.ofShared(); // since who ends a close need not be the arena's thread
            ofJdk = memory;
        }
        return source.allocateOfJdk(memory, bytes, alignment);
    }

    /** Frees what was allocated so. */
    void giveOfJdk() {
        Arena memory = ofJdk;
        if (memory != null) {
            StackBang.ensure(); // the JDK's close is not to find the stack at its end
            memory.close();
            ofJdk = null;
        }
    }
}
