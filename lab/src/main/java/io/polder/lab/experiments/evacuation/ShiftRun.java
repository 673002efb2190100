package io.polder.lab.experiments.evacuation;

import io.polder.lab.experiments.evacuation.Scale.ShiftPlan;
import io.polder.lab.experiments.evacuation.ShiftPoint.Moment;
import io.polder.lab.harness.Nanos;

import org.HdrHistogram.Histogram;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;

/**
 * The size-shift workload on one store, by one thread.
 *
 * <p>Each value that is written is followed by a read of another one, every few by an update, and
 * by as many deletions as the budget needs, all of values drawn at random. After each phase and a
 * rest all living values are read and compared with what was written.
 *
 * <p>Not thread-safe.
 */
final class ShiftRun {
    /** Values written for each one that is written over. */
    private static final int PUTS_PER_UPDATE = 8;

    private final ShiftPlan plan;
    private final ValueStore store;
    private final LivingValues living;
    private final SplittableRandom random;
    private final BiConsumer<ShiftPhase, Moment> points;
    private final MemorySegment written;
    private final MemorySegment found;
    private final Histogram puts = Nanos.histogram();
    private final Histogram reads = Nanos.histogram();
    private final Histogram updates = Nanos.histogram();
    private int ids;

    /**
     * @param points is told when a point is to be taken
     */
    ShiftRun(
            ShiftPlan plan,
            ValueStore store,
            LivingValues living,
            long seed,
            BiConsumer<ShiftPhase, Moment> points) {
        this.plan = plan;
        this.store = store;
        this.living = living;
        this.random = new SplittableRandom(seed);
        this.points = points;
        this.written = Arena.ofAuto().allocate(ShiftPhase.C.bytesMax());
        this.found = Arena.ofAuto().allocate(ShiftPhase.C.bytesMax());
    }

    /** Writes all values of a phase, or deletes those it deletes. */
    void run(ShiftPhase phase) {
        if (phase.isWriting()) {
            write(phase);
        } else {
            int left = phase.leaves(living.count());
            while (living.count() > left) {
                delete(living.draw(random));
            }
        }
    }

    private void write(ShiftPhase phase) {
        long volume = phase.volume(plan.budgetBytes());
        long step = Math.max(1, volume / plan.points());
        long next = step;
        int count = 0;
        for (long bytes = 0; bytes < volume; count++) {
            int size = random.nextInt(phase.bytesMin(), phase.bytesMax() + 1);
            put(size);
            while (living.bytes() > plan.budgetBytes()) {
                delete(living.draw(random));
            }
            read(living.draw(random));
            if (count % PUTS_PER_UPDATE == 0) {
                update(living.draw(random));
            }
            bytes += size;
            if (bytes >= next) {
                points.accept(phase, Moment.DURING);
                next += step;
            }
        }
    }

    private void put(int size) {
        MemorySegment value = written.asSlice(0, size);
        int id = ids++;
        Imprint.write(value, id, size);
        long start = System.nanoTime();
        long key = store.put(value);
        Nanos.record(puts, System.nanoTime() - start);
        living.add(key, size, id);
    }

    private void read(int value) {
        MemorySegment into = found.asSlice(0, living.size(value));
        long start = System.nanoTime();
        store.read(living.key(value), into);
        Nanos.record(reads, System.nanoTime() - start);
    }

    private void update(int value) {
        MemorySegment from = written.asSlice(0, living.size(value));
        int id = ids++;
        Imprint.write(from, id, living.size(value));
        long start = System.nanoTime();
        store.update(living.key(value), from);
        Nanos.record(updates, System.nanoTime() - start);
        living.setId(value, id);
    }

    private void delete(int value) {
        store.free(living.key(value));
        living.remove(value);
    }

    /**
     * Reads all that lives.
     *
     * @return values that are not as they were written
     */
    long damaged() {
        long damaged = 0;
        for (int value = 0; value < living.count(); value++) {
            MemorySegment into = found.asSlice(0, living.size(value));
            store.read(living.key(value), into);
            if (!Imprint.isIntact(into, living.id(value), living.size(value))) {
                damaged++;
            }
        }
        return damaged;
    }

    Histogram puts() {
        return puts;
    }

    Histogram reads() {
        return reads;
    }

    Histogram updates() {
        return updates;
    }
}
