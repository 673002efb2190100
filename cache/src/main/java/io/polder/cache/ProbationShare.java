package io.polder.cache;

/**
 * Which share of the entries is on probation: as much as gives most hits.
 *
 * <pre>{@code
 *   hits of a period   not fewer than before: go on     fewer: turn back
 *   step               64 --> 96 --> 128                64 --> -64, and 32 next
 * }</pre>
 *
 * <p>Keys that are asked for again soon and then no more want a large share; those that are asked
 * for again and again, with long pauses, a small one. It changes with what is asked.
 *
 * <p>Thread-safe: one thread at a time, those who come meanwhile leave it to him.
 */
final class ProbationShare {
    private static final int FIRST = 40;
    private static final int MIN = 10;
    private static final int MAX = 800;

    /** Of the first step, in thousandths of the entries. */
    private static final double STEP = 64;

    /**
     * Smaller ones are lost in what the hits of periods differ by chance. Measured: with 8, recent
     * keys in a cache of 1,000 entries never get the large share that they want.
     */
    private static final double STEP_MIN = 16;

    private static final double STEP_MAX = 128;

    /**
     * A step is larger than the one before if that one was right, and smaller if not. So steps stay
     * small where the hits of periods differ by chance alone, or what is asked for comes and goes.
     */
    private static final double RIGHT = 1.5;

    private static final double WRONG = 0.5;

    /**
     * The requests of a period for each entry, up to {@link #ENOUGH} of them: with fewer, what hits
     * differ by chance moves the share. Measured: with 4, recent keys in a cache of 1,000 entries
     * do not get the share that they want.
     */
    private static final long PERIOD_SMALL = 10;

    /** The same for more entries. Measured: with 10, the share of 10,000 entries comes late. */
    private static final long PERIOD = 4;

    /** Requests of a period that are enough. */
    private static final long ENOUGH = 10_000;

    private volatile int thousandths = FIRST;
    private double step = -STEP;
    private double ratio;
    private long hits;
    private long misses;

    /** When the period ends, in requests; racy, a hint. */
    private long end;

    private int looks;

    int thousandths() {
        return thousandths;
    }

    /** Ends a period if it is time. */
    void step(Counts counts) {
        if ((++looks & 0xFF) != 0) {
            return; // racy: it is looked at a little more or less often
        }
        long hitsNow = counts.hits.sum();
        long missesNow = counts.misses.sum();
        if (hitsNow + missesNow >= end) {
            end(hitsNow, missesNow, period(counts.entries.get()));
        }
    }

    /** The requests of a period. */
    private static long period(long entries) {
        long small = Math.clamp(PERIOD_SMALL * entries, 1000, ENOUGH);
        return Math.max(small, PERIOD * entries);
    }

    private synchronized void end(long hitsNow, long missesNow, long period) {
        long asked = hitsNow + missesNow - hits - misses;
        if (hitsNow + missesNow < end || asked <= 0) {
            return;
        }
        double now = (double) (hitsNow - hits) / asked;
        if (end > 0) {
            takeStep(now >= ratio);
        }
        ratio = now;
        hits = hitsNow;
        misses = missesNow;
        end = hitsNow + missesNow + period;
    }

    private void takeStep(boolean wasRight) {
        int was = thousandths;
        double next = wasRight ? step : -step;
        thousandths = (int) Math.round(Math.clamp(was + next, MIN, MAX));
        double done = Math.abs(thousandths - was); // at an end the next one is small
        double size = Math.clamp(done * (wasRight ? RIGHT : WRONG), STEP_MIN, STEP_MAX);
        step = Math.copySign(size, next);
    }
}
