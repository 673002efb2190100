package io.polder.leak;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Leaks by the place that opened what leaked: what leaks does so often, and from few places.
 *
 * <p>Confined to whoever holds the detector's lock. A count is raised by stores alone, so that an
 * error cuts off none in the middle.
 */
final class LeakSites {
    /** Guessed: nobody reads more. Leaks of others are counted, and their places forgotten. */
    static final int MAX = 100;

    private final Map<Key, Count> counts = new HashMap<>();

    private record Key(Kind kind, List<String> openedAt) {}

    /** How often a place leaked, and what that has. */
    static final class Count {
        /** What leaked last. */
        LeakRecord last;

        long count;
        long bytes;

        Count(LeakRecord last) {
            this.last = last;
        }
    }

    /** The count for the place of a leak, which is not counted by this. */
    Count of(LeakRecord leak) {
        Key key = new Key(leak.kind(), leak.openedAt());
        Count known = counts.get(key);
        if (known == null) {
            known = new Count(leak);
            if (counts.size() < MAX) {
                counts.put(key, known);
            }
        }
        return known;
    }

    /** The places, the one with the most leaks first. */
    List<LeakSite> list() {
        List<LeakSite> sites = new ArrayList<>();
        for (Count each : counts.values()) {
            if (each.count > 0) {
                sites.add(new LeakSite(each.last, each.count, each.bytes));
            }
        }
        sites.sort(Comparator.comparingLong(LeakSite::count).reversed());
        return sites;
    }
}
