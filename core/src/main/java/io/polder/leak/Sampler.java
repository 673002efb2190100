package io.polder.leak;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses which arenas are tracked, and which blocks.
 *
 * <pre>{@code
 *   words   | left | gap | last |      | left | gap | last |      ...   for each stripe of threads
 *           |<----- STRIDE ----->|
 * }</pre>
 *
 * <p>It counts down, from a random number, how many arenas still pass: so where a program opens
 * arenas in turn from different places, it tracks each of them now and then. How far it counts is
 * the gap, on average, and that follows the clock: it grows while arenas are tracked more often
 * than once in {@link #TARGET_MICROS}, and shrinks while they are seldom. So a program that opens
 * few has all of them tracked, and one that opens millions pays for a thousand stacks a second. A
 * place that was not seen before makes the gap small again: what leaks often does so at once.
 *
 * <p>A gap that has grown is of no use when a thread opens few arenas afterwards; {@link #pull},
 * once a second, ends those that nobody came to the end of.
 *
 * <p>A record, because compilers trust the fields of records: with a pool in a static final field,
 * the place of the count is all that has to be found.
 *
 * <p>Thread-safe, by a <b>benign race</b>: threads of one stripe, and who pulls, write plainly; a
 * count is lost, or one arena more is tracked, or a gap is ended a second later.
 *
 * @param detector tracks those that are chosen
 * @param words see above
 * @param seen hashes of places that were tracked before, 0 where there is none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and never handed out
public record Sampler(LeakDetector detector, int[] words, int[] seen) {
    private static final int STRIPES = 64;

    /** Stripes are two cache lines apart. */
    private static final int STRIDE = 32;

    private static final int GAP = 1;
    private static final int LAST = 2;

    /** Guessed: a stack costs some 3 us, and this makes it a third of a percent. */
    static final int TARGET_MICROS = 1000;

    /** From this one on a gap grows by parts of itself, and not by one. */
    private static final int GROWTH = 16;

    /** What a thread opens in a millisecond that does nothing else, and more. */
    static final int GAP_MAX = 1 << 20;

    /** So long nobody came to the end of a gap. */
    private static final int IDLE_MICROS = 100 * TARGET_MICROS;

    /** A power of two. Guessed: places that open arenas are fewer. */
    private static final int SEEN = 1024;

    Sampler(LeakDetector detector) {
        this(detector, new int[STRIPES * STRIDE], new int[SEEN]);
    }

    /**
     * Tracks an arena that is about to be opened, and will hold the tracker, or lets it pass.
     *
     * @return null if it is not tracked
     */
    public @Nullable LeakTracker track(Kind kind) {
        int at = ((int) Thread.currentThread().threadId() & (STRIPES - 1)) * STRIDE;
        int left = words[at] - 1;
        words[at] = left;
        return left >= 0 ? null : chosen(kind, at);
    }

    /**
     * Whether a block that is about to be allocated is to be watched by the caller.
     *
     * @return where it is allocated; null if it is not to be watched
     */
    public @Nullable Trace chooses() {
        int at = ((int) Thread.currentThread().threadId() & (STRIPES - 1)) * STRIDE;
        int left = words[at] - 1;
        words[at] = left;
        return left >= 0 ? null : chosen(at);
    }

    private @Nullable LeakTracker chosen(Kind kind, int at) {
        Trace openedAt = chosen(at);
        return openedAt == null ? null : detector.track(kind, openedAt);
    }

    /** Begins to count again; returns where the caller is, null if nothing is chosen any more. */
    private @Nullable Trace chosen(int at) {
        if (!detector.isOn()) {
            words[at] = Integer.MAX_VALUE;
            return null;
        }
        words[at] = 0;
        Trace trace = Trace.here();
        if (!detector.isAll()) {
            again(at, trace.site());
            detector.task.wake();
        }
        return trace;
    }

    /** Begins to count down again. */
    private void again(int at, int site) {
        int now = nowMicros();
        int gap = nextGap(words[at + GAP], now - words[at + LAST]);
        gap = isNew(site) ? Math.min(gap, GROWTH) : gap;
        words[at + GAP] = gap;
        words[at + LAST] = now;
        words[at] = ThreadLocalRandom.current().nextInt(2 * gap - 1);
    }

    /** Wraps around in an hour, and never is 0. */
    private static int nowMicros() {
        return (int) (System.nanoTime() / 1000) | 1;
    }

    /**
     * How far to count, on average.
     *
     * @param before how far it was counted; 0 if it was not
     * @param micros how long that took; negative if nobody knows
     */
    static int nextGap(int before, int micros) {
        int gap = Math.max(1, before);
        if (micros >= 0 && micros < TARGET_MICROS) {
            return Math.min(GAP_MAX, gap + Math.max(1, gap / GROWTH));
        }
        return micros < 0 ? 1 : Math.max(1, (int) ((long) gap * TARGET_MICROS / micros));
    }

    private boolean isNew(int site) {
        int at = (site ^ (site >>> 16)) & (SEEN - 1);
        if (seen[at] != 0) {
            return false; // seen, or taken for one that was
        }
        seen[at] = 1;
        return true;
    }

    /**
     * Ends gaps that nobody came to the end of for long.
     *
     * @return whether it must be called again
     */
    boolean pull() {
        int now = nowMicros();
        boolean more = false;
        for (int at = 0; at < words.length; at += STRIDE) {
            if (words[at + LAST] != 0 && words[at] > 0) {
                more = true;
                if (now - words[at + LAST] > IDLE_MICROS || now - words[at + LAST] < 0) {
                    words[at] = 0;
                }
            }
        }
        return more;
    }

    /** Tracks the next arenas, no matter who opens them. */
    void restart() {
        Arrays.fill(words, 0);
    }

    /** Of so many arenas one is tracked by now, by those who open most. */
    int oneIn() {
        int most = 1;
        for (int at = 0; at < words.length; at += STRIDE) {
            most = Math.max(most, words[at + GAP]);
        }
        return most;
    }
}
