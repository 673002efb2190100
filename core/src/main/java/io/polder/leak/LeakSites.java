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

    /** A place, what leaked there last, and how often. */
    static final class Count {
        private LeakRecord last;
        private long count;
        private long bytes;

        Count(LeakRecord last) {
            this.last = last;
        }

        /** Counts a leak of this place, by stores alone. */
        void add(LeakRecord leak) {
            last = leak;
            bytes += leak.bytes();
            count++;
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

    /** A record for each place: how often it leaked, and by which thread last; the most first. */
    List<LeakRecord> list() {
        List<LeakRecord> sites = new ArrayList<>();
        for (Count each : counts.values()) {
            LeakRecord last = each.last;
            if (each.count > 0) {
                sites.add(
                        new LeakRecord(
                                last.kind(),
                                each.count,
                                each.bytes,
                                last.thread(),
                                last.openedAt()));
            }
        }
        sites.sort(Comparator.comparingLong(LeakRecord::count).reversed());
        return sites;
    }
}
