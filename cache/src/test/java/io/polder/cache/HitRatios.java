package io.polder.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.polder.MemoryPool;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;

/**
 * Compares the hit ratios of caches on traces of keys: ours, Caffeine's and that of an LRU list.
 *
 * <p>As a program it prints a table; the argument is how long traces are, in requests. <code>
 * docs/adr/0026-cache.md</code> has that table. The lab measures the same.
 */
public final class HitRatios {
    /** Of one trace, from 0 to 1. */
    public record Row(String trace, long entries, double polder, double caffeine, double lru) {
        /** How much Caffeine has more. */
        public double gap() {
            return caffeine - polder;
        }
    }

    private HitRatios() {}

    /** See the class. */
    public static void main(String[] args) {
        long requests = args.length == 0 ? 2_000_000 : Long.parseLong(args[0]);
        System.out.println("| trace | entries | Polder | Caffeine | LRU | Caffeine - Polder |");
        System.out.println("|---|---|---|---|---|---|");
        for (Traces.Trace trace : Traces.all(1)) {
            for (long entries : trace.sizes()) {
                Row row = measure(trace, entries, requests);
                System.out.printf(
                        "| %s | %d | %.2f | %.2f | %.2f | %+.2f |%n",
                        row.trace,
                        row.entries,
                        100 * row.polder,
                        100 * row.caffeine,
                        100 * row.lru,
                        100 * row.gap());
            }
        }
    }

    /** Asks caches of so many entries for the first keys of a trace. */
    public static Row measure(Traces.Trace trace, long entries, long requests) {
        try (MemoryPool pool = MemoryPool.builder().name("hit-ratios").build();
                OffHeapCache<Long, Long> cache =
                        OffHeapCache.<Long, Long>builder()
                                .keyCodec(Codec.longs())
                                .valueCodec(Codec.longs())
                                .maximumEntries(entries)
                                .hash(Hash.seeded(1))
                                .pool(pool)
                                .build()) {
            Cache<Long, Long> other =
                    Caffeine.newBuilder().maximumSize(entries).executor(Runnable::run).build();
            Map<Long, Long> lru =
                    new LinkedHashMap<>(16, 0.75f, true) {
                        private static final long serialVersionUID = 1L;

                        @Override
                        protected boolean removeEldestEntry(Map.Entry<Long, Long> eldest) {
                            return size() > entries;
                        }
                    };
            List<LongPredicate> caches = new ArrayList<>();
            caches.add(
                    key -> {
                        if (cache.getIfPresent(key) != null) {
                            return true;
                        }
                        cache.put(key, key);
                        return false;
                    });
            caches.add(
                    key -> {
                        if (other.getIfPresent(key) != null) {
                            return true;
                        }
                        other.put(key, key);
                        return false;
                    });
            caches.add(
                    key -> {
                        if (lru.get(key) != null) {
                            return true;
                        }
                        lru.put(key, key);
                        return false;
                    });
            long[] hits = new long[caches.size()];
            Traces.Keys keys = trace.begin();
            for (long i = 0; i < requests; i++) {
                long key = keys.next();
                for (int c = 0; c < hits.length; c++) {
                    hits[c] += caches.get(c).test(key) ? 1 : 0;
                }
            }
            return new Row(
                    trace.name(),
                    entries,
                    (double) hits[0] / requests,
                    (double) hits[1] / requests,
                    (double) hits[2] / requests);
        }
    }
}
