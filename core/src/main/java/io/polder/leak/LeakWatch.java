package io.polder.leak;

import io.polder.background.Background;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * What of one pool is looked for, which may change while the pool is used.
 *
 * <pre>{@code
 *   off (no detector) --> sampled, all --> off: what is tracked stays so, and nothing is added
 * }</pre>
 *
 * <p>Arenas have a way of their own, by the {@link Sampler}: the code that opens them must know it
 * as a constant, and is told of a change by the code that makes it.
 *
 * <p>It refers to nothing of its pool but the name. So an object that keeps it keeps no memory; nor
 * a class of the program, but those that opened what is tracked now, which the background keeps as
 * well as long as there is any.
 *
 * <p>Thread-safe: changes are guarded by the monitor.
 */
public final class LeakWatch {
    private final String poolName;
    private final Background background;
    private volatile @Nullable LeakDetector detector;

    /**
     * Looks for nothing yet.
     *
     * @param poolName how messages call the pool
     * @param background reports leaks
     */
    public LeakWatch(String poolName, Background background) {
        this.poolName = poolName;
        this.background = background;
    }

    /**
     * Looks so closely at what is opened from now on.
     *
     * @param wanted whether it looks at all: at pages and heaps, and some arenas
     * @param everything whether at all arenas and blocks, too
     */
    public synchronized void set(boolean wanted, boolean everything) {
        LeakDetector known = detector;
        if (known == null && wanted) {
            known = new LeakDetector(poolName, everything, background);
            LeakExit.add(known);
            detector = known;
        } else if (known != null && wanted) {
            known.setAll(everything);
        } else if (known != null) {
            known.setOff();
        }
    }

    /** What looks at what is opened now; null if nothing does. */
    private @Nullable LeakDetector looking() {
        LeakDetector known = detector;
        return known == null || known.off() ? null : known;
    }

    /** Whether it looks at anything that is opened now. */
    public boolean isOn() {
        return looking() != null;
    }

    /** Whether it looks at all of it. */
    public boolean isAll() {
        LeakDetector known = looking();
        return known != null && known.all();
    }

    /** Tracks a page or a heap that is about to be opened, and will hold the tracker. */
    public @Nullable LeakTracker track(Kind kind) {
        LeakDetector known = looking();
        return known == null ? null : known.track(kind, Trace.here());
    }

    /** Chooses which arenas are tracked; null if none is. */
    public @Nullable Sampler sampler() {
        LeakDetector known = looking();
        return known == null ? null : known.sampler();
    }

    /**
     * The pool is closed: blocks that are used are leaks.
     *
     * @param used those that are watched, one record for each place
     */
    public void blocksLeft(List<LeakRecord> used) {
        LeakDetector known = detector;
        if (known != null) {
            known.report(used);
        }
    }

    /** What was found so far; null if nothing was looked for. */
    public @Nullable LeakDetector detector() {
        return detector;
    }
}
