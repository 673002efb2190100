package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Keeps {@link Scratch}es at hand, a few for all threads: a thread takes the one of its place, or
 * makes one if another operation has that, its own that called a loader or codec for instance.
 *
 * <p>Thread-safe: a place is taken by an atomic exchange.
 */
final class Scratches {
    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(Scratch[].class);

    /** Places stand so far apart that a cache line has one. */
    private static final int STRIDE = 32;

    private static final int PLACES_MAX = 64;

    private final int mask =
            Math.min(
                            PLACES_MAX,
                            Integer.highestOneBit(
                                    4 * Runtime.getRuntime().availableProcessors() - 1))
                    - 1;

    private final @Nullable Scratch[] places = new @Nullable Scratch[(mask + 1) * STRIDE];

    Scratch take() {
        Scratch taken = (Scratch) PLACE.getAndSetAcquire(places, place(), (Scratch) null);
        return taken == null ? new Scratch() : taken;
    }

    void give(Scratch scratch) {
        scratch.clear();
        PLACE.setRelease(places, place(), scratch);
    }

    private int place() {
        long id = Thread.currentThread().threadId();
        return ((int) (id ^ id >>> 7) & mask) * STRIDE;
    }
}
