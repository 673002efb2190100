package io.polder.cache;

/**
 * Which share of the entries is on probation: as much as gives most hits.
 *
 * <pre>{@code
 *   hits of a period  more than before: go on     less: turn back      very different: large steps
 *   step              64 --> 62 --> 61 ...        -60                   64
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

    /** Each step is smaller than the one before by this factor. */
    private static final double DECAY = 0.98;

    /** A change of the hit ratio by so much means that other things are asked for. */
    private static final double CHANGE = 0.05;

    /** The requests of a period, for each entry. */
    private static final long PERIOD = 10;

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
            end(hitsNow, missesNow, Math.max(1000, PERIOD * counts.entries.get()));
        }
    }

    private synchronized void end(long hitsNow, long missesNow, long period) {
        long asked = hitsNow + missesNow - hits - misses;
        if (hitsNow + missesNow < end || asked <= 0) {
            return;
        }
        double now = (double) (hitsNow - hits) / asked;
        double change = now - ratio;
        if (end > 0) {
            step = change >= 0 ? step : -step;
            thousandths = (int) Math.round(Math.clamp(thousandths + step, MIN, MAX));
            step = Math.abs(change) >= CHANGE ? Math.copySign(STEP, step) : step * DECAY;
        }
        ratio = now;
        hits = hitsNow;
        misses = missesNow;
        end = hitsNow + missesNow + period;
    }
}
