package io.polder.cache.jcache;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import javax.cache.management.CacheStatisticsMXBean;

/**
 * Counts what is asked of a cache, for as long as that is switched on: operations that begin and
 * end then. The figures stay when it is switched off, and grow when it is switched on again.
 *
 * <p>Locking: the monitor guards which evictions count. Thread-safe.
 */
final class Statistics implements CacheStatisticsMXBean {
    private static final float NANOS_PER_MICRO = 1000;
    private static final float PERCENT = 100;

    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder puts = new LongAdder();
    private final LongAdder removals = new LongAdder();
    private final LongAdder getNanos = new LongAdder();
    private final LongAdder putNanos = new LongAdder();
    private final LongAdder removeNanos = new LongAdder();

    /** All those of the cache. */
    private final LongSupplier evictions;

    /** While this is on, how many of them do not count. */
    private long uncounted;

    /** While this is off, how many have been counted. */
    private long counted;

    private volatile boolean isOn;

    Statistics(LongSupplier evictions) {
        this.evictions = evictions;
    }

    synchronized void setOn(boolean on) {
        if (on != isOn) {
            counted = getCacheEvictions();
            uncounted = evictions.getAsLong() - counted;
            isOn = on;
        }
    }

    boolean isOn() {
        return isOn;
    }

    /** When an operation began; 0 if nothing is counted. */
    long begin() {
        return isOn ? System.nanoTime() : 0;
    }

    /** A look at an entry, and how long it took. */
    void got(boolean hit, long begin) {
        if (counts(begin)) {
            (hit ? hits : misses).increment();
            getNanos.add(System.nanoTime() - begin);
        }
    }

    /** Values that were put. */
    void put(long count, long begin) {
        if (count > 0 && counts(begin)) {
            puts.add(count);
            putNanos.add(System.nanoTime() - begin);
        }
    }

    /** Entries that were removed. */
    void removed(long count, long begin) {
        if (count > 0 && counts(begin)) {
            removals.add(count);
            removeNanos.add(System.nanoTime() - begin);
        }
    }

    private boolean counts(long begin) {
        return isOn && begin != 0;
    }

    @Override
    public synchronized void clear() {
        hits.reset();
        misses.reset();
        puts.reset();
        removals.reset();
        getNanos.reset();
        putNanos.reset();
        removeNanos.reset();
        counted = 0;
        uncounted = evictions.getAsLong();
    }

    @Override
    public long getCacheHits() {
        return hits.sum();
    }

    @Override
    public float getCacheHitPercentage() {
        return percentage(hits);
    }

    @Override
    public long getCacheMisses() {
        return misses.sum();
    }

    @Override
    public float getCacheMissPercentage() {
        return percentage(misses);
    }

    @Override
    public long getCacheGets() {
        return hits.sum() + misses.sum();
    }

    @Override
    public long getCachePuts() {
        return puts.sum();
    }

    @Override
    public long getCacheRemovals() {
        return removals.sum();
    }

    @Override
    public synchronized long getCacheEvictions() {
        return isOn ? evictions.getAsLong() - uncounted : counted;
    }

    @Override
    public float getAverageGetTime() {
        return average(getNanos, getCacheGets());
    }

    @Override
    public float getAveragePutTime() {
        return average(putNanos, getCachePuts());
    }

    @Override
    public float getAverageRemoveTime() {
        return average(removeNanos, getCacheRemovals());
    }

    private float percentage(LongAdder part) {
        long all = getCacheGets();
        return all == 0 ? 0 : PERCENT * part.sum() / all;
    }

    /** In microseconds. */
    private static float average(LongAdder nanos, long count) {
        return count == 0 ? 0 : nanos.sum() / NANOS_PER_MICRO / count;
    }
}
