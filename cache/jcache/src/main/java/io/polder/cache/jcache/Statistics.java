package io.polder.cache.jcache;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import javax.cache.management.CacheStatisticsMXBean;

/** Counts what is asked of a cache, for as long as that is switched on. Thread-safe. */
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
    private final LongSupplier evictions;
    private volatile long evictionsBefore;
    private volatile boolean isOn;

    Statistics(LongSupplier evictions) {
        this.evictions = evictions;
    }

    void setOn(boolean on) {
        isOn = on;
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
        if (isOn) {
            (hit ? hits : misses).increment();
            getNanos.add(since(begin));
        }
    }

    /** Values that were put. */
    void put(long count, long begin) {
        if (isOn && count > 0) {
            puts.add(count);
            putNanos.add(since(begin));
        }
    }

    /** Entries that were removed. */
    void removed(long count, long begin) {
        if (isOn && count > 0) {
            removals.add(count);
            removeNanos.add(since(begin));
        }
    }

    private static long since(long begin) {
        return begin == 0 ? 0 : System.nanoTime() - begin;
    }

    @Override
    public void clear() {
        hits.reset();
        misses.reset();
        puts.reset();
        removals.reset();
        getNanos.reset();
        putNanos.reset();
        removeNanos.reset();
        evictionsBefore = evictions.getAsLong();
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
    public long getCacheEvictions() {
        return evictions.getAsLong() - evictionsBefore;
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
