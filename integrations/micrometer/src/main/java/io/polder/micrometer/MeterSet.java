package io.polder.micrometer;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.polder.PoolStatistics;

import org.jspecify.annotations.Nullable;

import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * The meters of a pool, or of one of its heaps. A registry refers to what counters and timers are
 * about by weak references, and to their functions by strong ones: so each function has its {@link
 * Reading}.
 *
 * <p>Not thread-safe.
 */
final class MeterSet {
    private final RegistryMeters meters;
    private final BoundPool pool;
    private final Tags tags;
    private final Registrations registrations;

    MeterSet(RegistryMeters meters, BoundPool pool, Tags tags) {
        this.meters = meters;
        this.pool = pool;
        this.tags = tags;
        this.registrations = new Registrations(meters);
    }

    private MeterRegistry registry() {
        return meters.registry();
    }

    private Reading reading(ToDoubleFunction<PoolStatistics> figure) {
        return new Reading(meters, pool, figure);
    }

    /** Bytes that are there now. */
    void bytes(
            String name, Tags more, String description, ToDoubleFunction<PoolStatistics> figure) {
        Reading reading = reading(figure);
        registrations.add(
                () ->
                        Gauge.builder(name, reading::gauge)
                                .tags(tags.and(more))
                                .baseUnit(BaseUnits.BYTES)
                                .description(description)
                                .register(registry()),
                reading);
    }

    void bytes(String name, String description, ToDoubleFunction<PoolStatistics> figure) {
        bytes(name, Tags.empty(), description, figure);
    }

    /** How many are there now. */
    void count(String name, String description, ToDoubleFunction<PoolStatistics> figure) {
        Reading reading = reading(figure);
        registrations.add(
                () ->
                        Gauge.builder(name, reading::gauge)
                                .tags(tags)
                                .description(description)
                                .register(registry()),
                reading);
    }

    /** How long something is. */
    void nanos(String name, String description, ToDoubleFunction<PoolStatistics> figure) {
        Reading reading = reading(figure);
        registrations.add(
                () ->
                        TimeGauge.builder(name, reading::gauge, TimeUnit.NANOSECONDS)
                                .tags(tags)
                                .description(description)
                                .register(registry()),
                reading);
    }

    /** How many bytes there have been so far. */
    void totalBytes(
            String name, Tags more, String description, ToDoubleFunction<PoolStatistics> figure) {
        total(name, more, BaseUnits.BYTES, description, figure);
    }

    /** How often something has happened so far. */
    void total(
            String name, Tags more, String description, ToDoubleFunction<PoolStatistics> figure) {
        total(name, more, null, description, figure);
    }

    private void total(
            String name,
            Tags more,
            @Nullable String unit,
            String description,
            ToDoubleFunction<PoolStatistics> figure) {
        Reading reading = reading(figure);
        registrations.add(
                () ->
                        FunctionCounter.builder(name, reading, _ -> reading.total())
                                .tags(tags.and(more))
                                .baseUnit(unit)
                                .description(description)
                                .register(registry()),
                reading);
    }

    void total(String name, String description, ToDoubleFunction<PoolStatistics> figure) {
        total(name, Tags.empty(), description, figure);
    }

    /** How often something has happened so far, and how long it took altogether. */
    void timer(
            String name,
            String description,
            ToDoubleFunction<PoolStatistics> count,
            ToDoubleFunction<PoolStatistics> nanos) {
        Reading counted = reading(count);
        Reading taken = reading(nanos);
        registrations.add(
                () ->
                        FunctionTimer.builder(
                                        name,
                                        counted,
                                        _ -> (long) counted.total(),
                                        _ -> taken.total(),
                                        TimeUnit.NANOSECONDS)
                                .tags(tags)
                                .description(description)
                                .register(registry()),
                counted,
                taken);
    }

    /** Adds those that the registry has. */
    void addTo(Set<Meter> expected) {
        registrations.addTo(expected);
    }

    /** Adds who has them, by identity. */
    void addTo(IdentityHashMap<Meter, Registrations.Registration> owners) {
        registrations.addTo(owners);
    }

    /** Registers again those of them that the registry has no more. */
    void restore(Set<Meter> missing) {
        registrations.restore(missing);
    }

    /** Removes all of them. What is cut short may be done again. */
    void remove() {
        registrations.remove();
    }
}
