package io.polder.lab.experiments.pages;

import io.polder.lab.experiments.pages.PageSource.Holdings;
import io.polder.lab.experiments.pages.Point.Value;
import io.polder.lab.experiments.pages.Recording.Figure;
import io.polder.lab.harness.Sampler;
import io.polder.memory.ProcessCheck;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * A {@link Program} on the pages of a contender, once. The mutator is the current thread, the
 * {@link Collector} another one.
 *
 * <p>What is timed is the taking of pages, and by itself the writing of objects, which pays for the
 * first touch of memory.
 */
final class WorkloadRun {
    /** Points in each filling of the medium objects. */
    static final int PARTS = 8;

    /** As in the original program: a short rest after so many objects. */
    private static final int OBJECTS_PER_REST = 50;

    private static final long REST_NANOS = 500;

    private final Program program;
    private final PageSource source;
    private final Sampler sampler;
    private final Random random;

    /** What it took to write objects of a kind. */
    private static final class Writing {
        long nanos;
        long bytes;

        long nanosPerGranule() {
            return Math.round((double) nanos / Math.max(1, bytes) * PageSpace.GRANULE_BYTES);
        }
    }

    private final Room room;
    private final ObjectHeap heap;
    private final PageTaker mutator;
    private final PageTaker collecting;
    private final Collector collector;
    private final Map<ObjectKind, HeapPage> current = new EnumMap<>(ObjectKind.class);
    private final Writing smallWriting = new Writing();
    private final Writing mediumWriting = new Writing();

    private long start;
    private long objects;
    private int mediumCount;

    /** A heap without objects. */
    WorkloadRun(Contender contender, Program program, PageSource source, long seed, Sampler sampler)
            throws InterruptedException {
        this.program = program;
        this.source = source;
        this.sampler = sampler;
        this.random = new Random(seed);
        this.room = new Room(program.budgetBytes(), program.lowBytes());
        this.heap =
                new ObjectHeap(program.slots(ObjectKind.SMALL), program.slots(ObjectKind.MEDIUM));
        this.mutator = new PageTaker(contender, source, room, false);
        this.collecting = new PageTaker(contender, source, room, true);
        this.collector = new Collector(heap, room, source, collecting);
    }

    /** Runs the program and tells what it came to; all pages are given back. */
    void run() throws InterruptedException {
        Thread thread = Thread.ofPlatform().daemon().name("polder-lab-collector").start(collector);
        start = System.nanoTime();
        long added = 0;
        while (added < program.mediumObjects()) {
            for (int i = 0; i < program.smallPerMedium(); i++) {
                addSmall();
            }
            if (mediumCount == program.slots(ObjectKind.MEDIUM)) {
                drop(ObjectKind.MEDIUM);
                mediumCount = 0;
            } else {
                add(ObjectKind.MEDIUM, mediumCount++);
                added++;
                pointAt(added);
            }
        }
        long nanos = System.nanoTime() - start;
        room.close();
        thread.join();
        room.requireNoFailure();
        heap.verify();
        source.verify();
        giveAll();
        tell(nanos);
    }

    private void addSmall() throws InterruptedException {
        add(ObjectKind.SMALL, random.nextInt(program.slots(ObjectKind.SMALL)));
    }

    private void add(ObjectKind kind, int slot) throws InterruptedException {
        HeapPage page = current.get(kind);
        if (page == null || !page.hasRoom()) {
            page = next(kind, page);
        }
        int index = page.bump();
        long id = ++objects;
        long before = System.nanoTime();
        Stamp.write(kind, page.address(index), id);
        Writing writing = kind == ObjectKind.SMALL ? smallWriting : mediumWriting;
        writing.nanos += System.nanoTime() - before;
        writing.bytes += kind.objectBytes();
        HeapPage emptied = heap.set(slot, page, index, id);
        if (emptied != null) {
            mutator.give(emptied);
        }
        if (objects % OBJECTS_PER_REST == 0) {
            LockSupport.parkNanos(REST_NANOS);
        }
    }

    private HeapPage next(ObjectKind kind, @Nullable HeapPage full) throws InterruptedException {
        if (full != null) {
            retire(full);
        }
        HeapPage page = mutator.take(kind);
        heap.add(page);
        current.put(kind, page);
        return page;
    }

    private void retire(HeapPage page) {
        if (heap.retire(page)) {
            mutator.give(page);
        }
    }

    private void drop(ObjectKind kind) {
        heap.dropAll(kind).forEach(mutator::give);
    }

    private void giveAll() {
        new ArrayList<>(current.values()).forEach(this::retire);
        current.clear();
        List.of(ObjectKind.values()).forEach(this::drop);
        if (room.heldBytes() != 0) {
            throw new AssertionError("all pages are given: heldBytes=" + room.heldBytes());
        }
    }

    private void pointAt(long added) {
        long parts = added * PARTS / program.slots(ObjectKind.MEDIUM);
        if (parts > (added - 1) * PARTS / program.slots(ObjectKind.MEDIUM)) {
            sampler.point(point(parts));
        }
    }

    private Point point(long part) {
        Holdings holdings = source.holdings();
        Map<Value, Long> values = new EnumMap<>(Value.class);
        values.put(Value.NANOS, System.nanoTime() - start);
        values.put(Value.PART, part);
        values.put(Value.SMALL_BYTES, heap.pageBytes(ObjectKind.SMALL));
        values.put(Value.MEDIUM_BYTES, heap.pageBytes(ObjectKind.MEDIUM));
        values.put(Value.ROOM_BYTES, program.budgetBytes() - room.heldBytes());
        values.put(Value.LIVE_BYTES, heap.liveBytes());
        values.put(Value.COMMITTED_BYTES, holdings.committedBytes());
        values.put(Value.FREE_BYTES, holdings.freeBytes());
        values.put(Value.READY_BYTES, holdings.readyBytes());
        values.put(Value.ASSEMBLED_ON_ALLOCATION, holdings.assembledOnAllocation());
        values.put(Value.ASSEMBLED_AHEAD, holdings.assembledAhead());
        values.put(Value.MOVED_BYTES, holdings.movedBytes());
        values.put(Value.TAKES_2M, takes(0));
        values.put(Value.TAKES_4M, takes(1));
        values.put(Value.TAKES_8M, takes(2));
        values.put(Value.TAKES_16M, takes(3));
        values.put(Value.TAKES_32M, takes(4));
        values.put(Value.REFUSED, mutator.refusals() + collecting.refusals());
        values.put(Value.WAITS, room.waits());
        values.put(Value.MAPS, (long) ProcessCheck.count().orElse(0));
        return new Point(values);
    }

    private long takes(int size) {
        return mutator.takes(size) + collecting.takes(size);
    }

    private void tell(long nanos) {
        Latencies latencies = mutator.latencies();
        latencies.add(collecting.latencies());
        latencies.write(sampler);
        Figure.WALL_NANOS.write(sampler, nanos);
        Figure.WAITS.write(sampler, room.waits());
        Figure.WAIT_NANOS.write(sampler, room.waitNanos());
        Figure.WAIT_NANOS_MAX.write(sampler, room.waitNanosMax());
        Figure.REFUSED.write(sampler, mutator.refusals() + collecting.refusals());
        Figure.CYCLES.write(sampler, collector.cycles());
        Figure.MOVED_OBJECTS.write(sampler, collector.moved());
        Figure.WRITE_SMALL_NANOS.write(sampler, smallWriting.nanosPerGranule());
        Figure.WRITE_MEDIUM_NANOS.write(sampler, mediumWriting.nanosPerGranule());
    }
}
