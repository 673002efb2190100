package io.polder;

import io.polder.leak.LeakDetector;
import io.polder.leak.LeakWatch;

import java.util.ArrayList;
import java.util.List;

/**
 * The leaks of pools that are gone: of those that were closed, and of those that became
 * unreachable.
 *
 * <pre>{@code
 *   a pool goes --and has leaks----------------------> listed --more than fit--> only counted
 *        |                                               ^
 *        +--and something of it is watched--> awaited ---+ a leak is found
 *        |                                       |
 *        +--neither--> nothing                   +--nothing is watched any more--> nothing
 * }</pre>
 *
 * <p>What is kept of a pool is its name, its number and its {@link LeakWatch}, and so text and
 * counts: none of its memory, and no class of the program but those that opened what is watched
 * now, which the background keeps as well.
 *
 * <p>Thread-safe: guarded by its monitor, in which nothing but the detectors' is taken. A pool may
 * be added again, and is there once: so who was cut off by an error before it was may do it again.
 *
 * <p>Invariants: {@code listed} has at most {@link #LISTED_MAX} pools; no pool is awaited and
 * listed.
 */
final class FormerPools {
    /**
     * Guessed: more than anybody reads, one after the other. Each may have the places and stacks of
     * 100 leaks, some 100 KiB; most have one.
     */
    static final int LISTED_MAX = 16;

    /** In which no leak was found, while something is watched. */
    private final List<Former> awaited = new ArrayList<>();

    /** In the order in which their first leak was known. */
    private final List<Former> listed = new ArrayList<>();

    private long forgotten;

    private record Former(String name, int number, LeakWatch leaks) {
        boolean isOf(LeakWatch some) {
            return leaks == some;
        }
    }

    FormerPools() {}

    /**
     * A pool is gone, or about to be: nothing more is opened in it.
     *
     * @param leaks what is known of its leaks, and will be
     * @return whether it is to be {@linkplain #look looked at} again
     */
    boolean add(String name, int number, LeakWatch leaks) {
        return leaks.detector() != null && addLocking(name, number, leaks);
    }

    private synchronized boolean addLocking(String name, int number, LeakWatch leaks) {
        boolean isKnown =
                awaited.stream().anyMatch(each -> each.isOf(leaks))
                        || listed.stream().anyMatch(each -> each.isOf(leaks));
        if (!isKnown) {
            awaited.add(new Former(name, number, leaks));
        }
        return look();
    }

    /**
     * Lists those in which a leak was found meanwhile, and drops those in which none can be.
     *
     * @return whether it is to be done again
     */
    synchronized boolean look() {
        for (Former each : List.copyOf(awaited)) {
            LeakDetector detector = each.leaks().detector();
            // In this order: what is watched no more is counted as a leak by then, if it is one.
            boolean isOver = detector == null || detector.tracked() == 0;
            if (detector != null && detector.leaked() > 0) {
                list(each);
                awaited.remove(each);
            } else if (isOver) {
                awaited.remove(each);
            }
        }
        return !awaited.isEmpty();
    }

    private void list(Former pool) {
        if (listed.size() == LISTED_MAX) {
            listed.removeFirst();
            forgotten++;
        }
        listed.add(pool);
    }

    /** Those that left leaks, the latest first. */
    synchronized List<FormerPool> pools() {
        boolean _ = look();
        return listed.reversed().stream()
                .map(
                        each ->
                                new FormerPool(
                                        each.name(),
                                        each.number(),
                                        PoolStatistics.Leaks.of(each.leaks())))
                .toList();
    }

    /** How many left leaks and are no longer in the list. */
    synchronized long forgotten() {
        return forgotten;
    }

    /** How many no leak was found of, while something is watched; for tests. */
    synchronized int awaited() {
        return awaited.size();
    }
}
