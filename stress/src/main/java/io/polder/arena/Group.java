package io.polder.arena;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * A {@link DeferredGroup} for a state of a test, and how often it was handed to the closer. Its
 * arena is the same for all states: nobody allocates from it.
 */
final class Group {
    private static final SharedArena ARENA = new SharedArena(Slabs.source(OneBlock.NO_MEMORY));

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final AtomicInteger tooEarly = new AtomicInteger();
    private final DeferredGroup group = new DeferredGroup(ARENA, ignored -> close());

    private void close() {
        closed.incrementAndGet();
        tooEarly.addAndGet(inside.get());
    }

    /** Joins; returns whether that was possible. */
    boolean join() {
        boolean joined = group.join();
        if (joined) {
            inside.incrementAndGet();
        }
        return joined;
    }

    /** Leaves. */
    void leave() {
        inside.decrementAndGet();
        group.leave(1);
    }

    /** Seals. */
    void seal() {
        group.seal();
    }

    /** How often it was closed, or that this was while a member was inside. */
    String closed() {
        return tooEarly.get() == 0 ? "closed " + closed.get() : "closed too early";
    }
}
