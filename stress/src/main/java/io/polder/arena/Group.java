package io.polder.arena;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A {@link DeferredGroup} for a state of a test, and whether it was seen to be ready. A thread that
 * leaves or seals looks, as its users do; a thread that has joined looks whether somebody saw it
 * ready before. Its arena is the same for all states: nobody allocates from it, and nobody closes
 * it.
 */
final class Group {
    private static final SharedArena ARENA =
            new SharedArena(Slabs.source(OneBlock.NO_MEMORY), null);

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicBoolean seen = new AtomicBoolean();
    private final AtomicInteger tooEarly = new AtomicInteger();
    private final DeferredGroup group = new DeferredGroup(ARENA, DeferredGroup.BYTES_MAX);

    private void look() {
        if (group.isReady()) {
            seen.set(true);
            tooEarly.addAndGet(inside.get());
        }
    }

    /** Joins; returns whether that was possible. */
    boolean join() {
        boolean joined = group.join();
        if (joined) {
            inside.incrementAndGet();
            tooEarly.addAndGet(seen.get() ? 1 : 0);
        }
        return joined;
    }

    /** Leaves. */
    void leave() {
        inside.decrementAndGet();
        group.leave();
        look();
    }

    /** Seals. */
    void seal() {
        group.seal();
        look();
    }

    /** Whether it was seen to be ready, or that this was while a member was inside. */
    String ready() {
        return tooEarly.get() > 0 ? "ready too early" : seen.get() ? "ready" : "never ready";
    }
}
