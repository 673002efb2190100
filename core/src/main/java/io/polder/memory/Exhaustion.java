package io.polder.memory;

import java.util.concurrent.locks.LockSupport;

/**
 * What a pool does about a request for which it has no memory.
 *
 * <p>Where users come in, the request is tried again as long as room was made, and once more after
 * that; then it is refused. What makes room, or is told, may run code of the program: all are
 * called with no lock held.
 */
public interface Exhaustion {
    /** Of a pool that can make no room, and wants to know nothing. */
    Exhaustion IGNORED = new Exhaustion() {};

    /**
     * Makes room: closes what waits to be closed, and gives back what is kept at hand.
     *
     * @return whether any was made, so that another attempt is worth it
     */
    default boolean makeRoom() {
        return false;
    }

    /**
     * How many closes have ended so far by which memory may have come back. A thread that asks
     * before an attempt can tell {@link #awaitClosing} since when.
     */
    default long closesEnded() {
        return 0;
    }

    /**
     * Waits for closes that other threads have under way, and by which memory comes back; not for
     * long, since they may wait themselves.
     *
     * @param endedBefore how many had ended before the attempt that failed
     * @return whether it waited, or one has ended meanwhile: another attempt is worth it
     */
    default boolean awaitClosing(long endedBefore) {
        return false;
    }

    /** So often a request is tried, each time after room was made, which others may take. */
    int ATTEMPTS_MAX = 8;

    /** So many are left when what came back at once was not enough, and all is asked. Guessed. */
    int ASKING_ALL = ATTEMPTS_MAX - 2;

    /** Who was kept for so long in vain has waited for a reader, which is done once. */
    long HELD_UP_NANOS = 200_000_000;

    /** How long a thread waits for others that have room made at the same time. Guessed. */
    long OTHERS_NANOS = 100_000;

    /**
     * Makes room for another attempt. Where none was made there is a last one: who gives memory
     * back may have had it in hand, and has been waited for. While others have room made as well,
     * they may have made it for all: then that is no last attempt. Some little may come back each
     * time: so after two attempts heaps and programs are asked no matter what did. For what can
     * never be had none is made.
     *
     * @param left how many attempts are left
     * @param endedBefore what {@link #closesEnded} was before the attempt that failed
     * @param full why it failed
     * @return how many are left after the next one
     * @throws OutOfMemoryError if none is left; the pool is told before
     */
    default int makeRoom(int left, long endedBefore, MemoryExhaustedException full) {
        if (left == 0 || full.never()) {
            exhausted(full);
            throw full.toOutOfMemoryError();
        }
        boolean made = false;
        boolean others = false;
        asks();
        try {
            boolean atOnce = makeRoom() || awaitClosing(endedBefore);
            long begin = System.nanoTime();
            made =
                    (atOnce && left > ASKING_ALL)
                            || compactHeaps(full.requestedBytes())
                            || (atOnce && System.nanoTime() - begin < HELD_UP_NANOS);
        } finally {
            others = asked();
        }
        if (!made && others) {
            LockSupport.parkNanos(this, OTHERS_NANOS);
        }
        return made || others ? left - 1 : 0;
    }

    /** Is told that the running thread has room made, which is for it first. */
    default void asks() {}

    /**
     * Is told that the running thread has had room made, and is about to try again.
     *
     * @return whether others have room made as well
     */
    default boolean asked() {
        return false;
    }

    /**
     * Whether room is made for other threads, and not for the running one: then who can do without
     * memory takes none.
     */
    default boolean isForOthers() {
        return false;
    }

    /**
     * Compacts heaps in which enough is dead, and waits for that as long as it gets on.
     *
     * @param bytes how much room is wanted
     * @return whether any was made
     */
    default boolean compactHeaps(long bytes) {
        return false;
    }

    /**
     * Is told, often, that there may be something for a tick: free memory to give back to the
     * system, or the last that a closed part waits for. Who waits for memory is told already.
     */
    default void memoryFreed() {}

    /** Is told that a request is refused. */
    default void exhausted(MemoryExhaustedException exhausted) {}
}
