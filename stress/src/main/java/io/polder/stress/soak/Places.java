package io.polder.stress.soak;

import org.jspecify.annotations.Nullable;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Where requests leave memory for others: as sessions, caches and queues of a server do. A thread
 * that leaves something ends what was there, mostly in another thread than that which made it.
 *
 * <p>Thread-safe.
 */
final class Places {
    private final AtomicReferenceArray<Held> places;
    private final LongAdder left = new LongAdder();
    private final int leakEvery;

    /**
     * Makes places that are empty.
     *
     * @param count how many
     * @param leakEvery one in so many is forgotten instead of ended, 0 for none: to show that this
     *     is noticed
     */
    Places(int count, int leakEvery) {
        this.places = new AtomicReferenceArray<>(count);
        this.leakEvery = leakEvery;
    }

    /** Leaves it somewhere. */
    void leave(SplittableRandom random, Held held) {
        end(places.getAndSet(random.nextInt(places.length()), held));
    }

    private void end(@Nullable Held held) {
        if (held == null) {
            return;
        }
        left.increment();
        if (leakEvery > 0 && left.sum() % leakEvery == 0) {
            return;
        }
        held.end();
    }

    /** Ends all; only while nobody leaves anything. */
    void clear() {
        for (int place = 0; place < places.length(); place++) {
            end(places.getAndSet(place, null));
        }
    }
}
