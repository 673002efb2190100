package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Keeps {@link Scratch}es at hand, two at each of a few {@linkplain Places places}.
 *
 * <pre>{@code
 *   place     biased: of the thread that it names, which takes it by a store
 *             shared: of the thread that takes it first, by an atomic exchange
 *   neither   a new one, which becomes the shared one
 * }</pre>
 *
 * <p>A thread that finds its place biased to another one takes what is shared; after some such
 * finds the place is biased to it. So a thread that has ended keeps no place, and a few threads
 * that work all the time wait for no other processor's cache line. A virtual thread, which may live
 * for one operation, takes what is shared.
 *
 * <p>Failure. One that is not given back is not found again: its thread takes others meanwhile, and
 * has a new one after some finds.
 *
 * <p>Thread-safe. A biased scratch is published by its final fields; what else is in it only its
 * thread touches.
 */
final class Scratches {
    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(Scratch[].class);

    /**
     * After so many finds that were of no use a place is biased to another thread: where two that
     * are always busy have one place, seldom beside what a new scratch costs.
     */
    static final int FINDS = 1024;

    private final @Nullable Scratch[] biased = new @Nullable Scratch[Places.LENGTH];
    private final @Nullable Scratch[] shared = new @Nullable Scratch[Places.LENGTH];

    /** Of no use, at each place; racy, a little sooner or later is as good. */
    private final int[] finds = new int[Places.LENGTH];

    Scratch take() {
        Thread thread = Thread.currentThread();
        Scratch own = biased[Places.of(thread.threadId())];
        if (own != null && own.ownerId == thread.threadId() && !own.isTaken) {
            own.isTaken = true;
            return own;
        }
        return takeOther(thread, own == null);
    }

    private Scratch takeOther(Thread thread, boolean isFree) {
        int place = Places.of(thread.threadId());
        if (!thread.isVirtual() && (isFree || ++finds[place] >= FINDS)) {
            finds[place] = 0;
            Scratch own = Scratch.of(thread.threadId());
            own.isTaken = true;
            biased[place] = own;
            return own;
        }
        Scratch taken = (Scratch) PLACE.getAndSetAcquire(shared, place, (Scratch) null);
        return taken == null ? Scratch.of(Scratch.NO_OWNER) : taken;
    }

    void give(Scratch scratch) {
        scratch.clear();
        if (scratch.ownerId == Scratch.NO_OWNER) {
            PLACE.setRelease(shared, Places.of(Thread.currentThread().threadId()), scratch);
        } else {
            scratch.isTaken = false;
        }
    }
}
