package io.polder.leak;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses which arenas are tracked, and which blocks: one in so many, on average.
 *
 * <pre>{@code
 *   countdowns   | left |  ...  | left |  ...  | left |  ...   one for each stripe of threads
 *                |<- STRIDE ->|
 * }</pre>
 *
 * <p>It counts down, from a random number, how many arenas still pass: so where a program opens
 * arenas in turn from different places, it tracks each of them now and then.
 *
 * <p>A record, because compilers trust the fields of records: with a pool in a static final field,
 * the place of the count is all that has to be found.
 *
 * <p>Thread-safe, by a <b>benign race</b>: threads of one stripe count down plainly, and lose a
 * count or track one arena more.
 *
 * @param detector tracks those that are chosen
 * @param countdowns see above
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and never handed out
public record Sampler(LeakDetector detector, int[] countdowns) {
    private static final int STRIPES = 64;

    /** Counts of different stripes are two cache lines apart. */
    private static final int STRIDE = 32;

    Sampler(LeakDetector detector) {
        this(detector, new int[STRIPES * STRIDE]);
        for (int at = 0; at < countdowns.length; at += STRIDE) {
            countdowns[at] = interval();
        }
    }

    /** How many arenas pass until one is tracked; by chance, and right on average. */
    private int interval() {
        return ThreadLocalRandom.current().nextInt(2 * detector.oneIn() - 1);
    }

    /**
     * Tracks an arena that is about to be opened, and will hold the tracker, or lets it pass.
     *
     * @return null if it is not tracked
     */
    public @Nullable LeakTracker track(Kind kind) {
        int at = ((int) Thread.currentThread().threadId() & (STRIPES - 1)) * STRIDE;
        int left = countdowns[at] - 1;
        countdowns[at] = left;
        return left >= 0 ? null : chosen(kind, at);
    }

    /** Whether a block that is about to be allocated is to be watched by who asks. */
    public boolean chooses() {
        int at = ((int) Thread.currentThread().threadId() & (STRIPES - 1)) * STRIDE;
        int left = countdowns[at] - 1;
        countdowns[at] = left;
        if (left >= 0) {
            return false;
        }
        countdowns[at] = interval();
        return true;
    }

    private LeakTracker chosen(Kind kind, int at) {
        countdowns[at] = interval();
        return detector.track(kind);
    }
}
