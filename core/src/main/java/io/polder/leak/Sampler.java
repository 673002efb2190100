package io.polder.leak;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses which arenas are watched: one in so many, on average.
 *
 * <pre>{@code
 *   turns   | left |  ...  | left |  ...  | left |  ...      one count for each stripe of threads
 *             |<- STRIDE ->|
 * }</pre>
 *
 * <p>How many arenas still pass is counted down from a random number: so where a program opens
 * arenas in turn from different places, each of them is watched now and then.
 *
 * <p>A record, because compilers trust the fields of records: with a pool in a static final field,
 * the place of the count is all that has to be found.
 *
 * <p>Thread-safe, by a <b>benign race</b>: threads of one stripe count down plainly, and lose a
 * count or watch one arena more.
 *
 * @param watch where those that are chosen go
 * @param turns see above
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and never handed out
public record Sampler(Watch watch, int[] turns) {
    private static final int STRIPES = 64;

    /** Counts of different stripes are two cache lines apart. */
    private static final int STRIDE = 32;

    Sampler(Watch watch) {
        this(watch, new int[STRIPES * STRIDE]);
        for (int at = 0; at < turns.length; at += STRIDE) {
            turns[at] = pause();
        }
    }

    /** How many arenas pass until one is watched; by chance, and right on average. */
    private int pause() {
        return ThreadLocalRandom.current().nextInt(2 * watch.oneIn() - 1);
    }

    /**
     * What an arena has to hold that is about to be opened.
     *
     * @return null if it is not watched
     */
    public @Nullable Lease next(Kind kind) {
        int at = ((int) Thread.currentThread().threadId() & (STRIPES - 1)) * STRIDE;
        int left = turns[at] - 1;
        turns[at] = left;
        return left >= 0 ? null : chosen(kind, at);
    }

    private Lease chosen(Kind kind, int at) {
        turns[at] = pause();
        return watch.always(kind);
    }
}
