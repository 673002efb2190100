package io.polder.page.space;

import io.polder.memory.MemoryExhaustedException;

/**
 * What a thread in the queue waits for: a page, or whatever else is made of the memory of one pool.
 *
 * @param <T> what it gets
 */
public interface LineRequest<T> {
    /**
     * Tries to get it; with no lock held, and when it is the thread's turn.
     *
     * @throws MemoryExhaustedException as long as there is not enough; where there {@linkplain
     *     MemoryExhaustedException#never never} will be, or it throws something else, that ends the
     *     waiting
     */
    T attempt();

    /** How much it needs, about. Who needs less than all before it may pass them after a while. */
    default long bytes() {
        return Long.MAX_VALUE;
    }

    /** Why there is not enough now. */
    MemoryExhaustedException refusal();

    /**
     * Whether it needs nothing of what others in the queue wait for, and so is tried before its
     * turn; asked again after each wake-up.
     */
    default boolean passesOthers() {
        return false;
    }
}
