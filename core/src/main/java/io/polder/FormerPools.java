package io.polder;

import io.polder.leak.LeakDetector;
import io.polder.leak.LeakRecord;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The leaks of the last pools that are gone: closed, or unreachable. A line of a report says of
 * each how many it left; the log has said where.
 *
 * <p>What is kept of a pool is its name, its number and its {@link LeakDetector}, and so text and
 * counts: none of its memory, and no class of the program but those that opened what is watched
 * now, which the background keeps as well.
 *
 * <p>Thread-safe: guarded by its monitor, in which nothing but the detectors' is taken.
 */
final class FormerPools {
    /** Guessed: more than anybody reads. */
    static final int MAX = 16;

    /** In the order in which they went; without those that left no leak for sure. */
    private final List<Former> gone = new ArrayList<>();

    /** How many left leaks and are not remembered. */
    private long forgotten;

    private record Former(String name, int number, LeakDetector leaks) {
        boolean isWithoutLeaks() {
            // In this order: what is watched no more is counted as a leak by then, if it is one.
            return leaks.tracked() == 0 && leaks.leaked() == 0;
        }

        String line() {
            LeakRecord most = leaks.sites().getFirst();
            return PoolLabel.of(name, number)
                    + ": "
                    + leaks.leaked()
                    + " found, "
                    + PoolReport.size(leaks.leakedBytes())
                    + ", most from "
                    + (most.openedAt().isEmpty() ? "an unknown place" : most.openedAt().getFirst());
        }
    }

    /** A pool is gone, or about to be: nothing more is opened in it. */
    void add(String name, int number, LeakDetector leaks) {
        if (!leaks.hasLooked()) {
            return;
        }
        synchronized (this) {
            for (Iterator<Former> all = gone.iterator(); all.hasNext(); ) { // see OpenPools.closed
                Former each = all.next();
                if (each.isWithoutLeaks() || each.leaks == leaks) {
                    all.remove();
                }
            }
            if (gone.size() == MAX) {
                forgotten += gone.removeFirst().leaks.leaked() > 0 ? 1 : 0;
            }
            gone.add(new Former(name, number, leaks));
        }
    }

    /** A line for each that left leaks, the latest first. */
    synchronized List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (Former each : gone.reversed()) {
            each.leaks.countCleared();
            if (each.leaks.leaked() > 0) {
                lines.add(each.line());
            }
        }
        if (forgotten > 0) {
            lines.add(forgotten + " before them, which are not remembered");
        }
        return lines;
    }
}
