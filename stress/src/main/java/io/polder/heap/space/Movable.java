package io.polder.heap.space;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import io.polder.background.Background;
import io.polder.gate.Gate;
import io.polder.heap.HeapOptions;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.ProcessFence;
import io.polder.memory.Providers;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One object of 16 KiB in a region of its own, with the parts of a heap that move it. Its slot is
 * 0, its generation 1, its content zeros.
 *
 * <p>Takes pages; {@link #giveBack} gives them back, and has to be the last.
 */
public final class Movable {
    private static final PageSpace PAGES =
            new PageSpace(
                    Providers.choose().provider(),
                    new MemoryBudget(MemoryLimits.NONE, ""),
                    new Background("stress-heap"),
                    new PageSettings(TimeUnit.DAYS.toNanos(1), false, false),
                    Exhaustion.IGNORED,
                    null);

    /** So large that a copy and an update take a microsecond each, in which others can go wrong. */
    static final long BYTES = 16 << 10;

    private static final int TAG = 1;
    static final long HANDLE = HandleLayout.of(TAG, 1, 0);

    /** What others write to pages that were the heap's: no header, and no word of an object. */
    private static final long OTHERS = -1;

    /** Looks until a reader that stands still goes on: some microseconds. */
    private static final int STILL_MAX = 10_000;

    private final HeapPages pages = new HeapPages(PAGES, Exhaustion.IGNORED, Long.MAX_VALUE);
    private final RegionMap map = new RegionMap();
    private final Regions regions = new Regions(pages, map, new Loans());
    final HandleTable table = new HandleTable();
    private final HandleLeaves leaves = new HandleLeaves(table, pages);
    final Gate access = new Gate(ProcessFence.ofThisProcess());
    private final AtomicInteger arrived = new AtomicInteger();
    final Evacuation evacuation;
    final ObjectLookup lookup;
    final Contents contents;
    private final OptimisticReads reads;
    private final Region region;

    /** Whether the object has moved, or the page of its first region is about to go. */
    private volatile boolean going;

    /** The word as it was at first. */
    private final long first;

    /** An object whose region is in a phase of a cycle. */
    public Movable(int phase) {
        HeapSettings settings = HeapSettings.of(HeapOptions.DEFAULT);
        ToSpace toSpace = new ToSpace(regions, pages, settings);
        evacuation = new Evacuation(table, map, toSpace, settings, new EvacuationCounts());
        lookup = new ObjectLookup(TAG, table, evacuation);
        contents = new Contents(access, lookup);
        reads = new OptimisticReads(TAG, table, pages, contents);
        toSpace.begin(0);
        region = regions.open(RegionType.SMALL, RegionType.SMALL.bytes);
        long header = ObjectLayout.header(BYTES, 0);
        long address = region.allocate(ObjectLayout.footprint(BYTES), header);
        ObjectLayout.clear(address, ObjectLayout.footprint(BYTES));
        region.retire();
        int _ = leaves.nextLeaf();
        first = HandleWordLayout.of(1, HandleWordLayout.LIVE, address);
        if (!table.compareAndSet(0, 0, first)) {
            throw new AssertionError("a new slot is free");
        }
        region.phase = phase;
        evacuation.underWay = phase != Region.STABLE;
    }

    /**
     * Waits for the other of two actors. Each goes through many states in a row, so without this
     * the faster one would soon be ahead for good, and the two would hardly ever meet.
     */
    public void meet() {
        int _ = arrived.incrementAndGet();
        while (arrived.get() < 2) {
            Thread.onSpinWait();
        }
    }

    /** Reads the front of the object without a critical section. */
    long readOptimistic() {
        return reads.get(HANDLE, 0, Long.BYTES);
    }

    /**
     * The same in steps: the thread stands still before it loads the number, until the page goes.
     *
     * @param looks whether to look then that no page was given
     */
    public long readInSteps(boolean looks) {
        long given = pages.given;
        long word = table.wordIfDense(0);
        if (HandleWordLayout.address(word) != HandleWordLayout.address(first)) {
            return 0; // too late
        }
        standStill(STILL_MAX);
        long content = ObjectLayout.content(HandleWordLayout.address(word));
        long value = RawAccess.get(content, Long.BYTES);
        return !looks || pages.noneGivenSince(given) ? value : readOptimistic();
    }

    /** Copies the front of the object without a critical section; the bits of all that. */
    long copyOptimistic() {
        MemorySegment copy = Arena.ofAuto().allocate(SmallCopy.MAX_BYTES);
        reads.get(HANDLE, 0, copy);
        return bits(copy);
    }

    private static long bits(MemorySegment copy) {
        long bits = 0;
        for (long at = 0; at < copy.byteSize(); at += Long.BYTES) {
            bits |= copy.get(ValueLayout.JAVA_LONG, at);
        }
        return bits;
    }

    /**
     * The same in steps: the thread stands still before it loads the bytes, until the page goes.
     *
     * @param looks whether it is to be seen, before anything is written, that a page was given
     */
    public long copyInSteps(boolean looks) {
        long given = pages.given;
        long word = table.wordIfDense(0);
        if (HandleWordLayout.address(word) != HandleWordLayout.address(first)) {
            return 0; // too late
        }
        standStill(STILL_MAX);
        long content = ObjectLayout.content(HandleWordLayout.address(word));
        MemorySegment copy = Arena.ofAuto().allocate(SmallCopy.MAX_BYTES);
        long before = looks ? given : pages.given;
        boolean copied = SmallCopy.copy(content, copy, copy.byteSize(), pages, before);
        return copied ? bits(copy) : bits(copy) | copyOptimistic();
    }

    /**
     * Does nothing until what was the object's first place is about to be of no more use, and a
     * little longer.
     *
     * @param looksMax how often to look at most, since the thread that makes that so may wait
     *     for the running thread
     */
    void standStill(int looksMax) {
        for (int i = 0; i < looksMax && !going; i++) {
            Thread.onSpinWait();
        }
        for (int i = 0; i < STILL_MAX / 10; i++) {
            Thread.onSpinWait();
        }
    }

    /**
     * Copies the object, gives its first page back, and has it be somebody else's.
     *
     * @param counted whether the heap counts the page, as it does
     */
    public void moveAndReuse(boolean counted) {
        Evacuation.Outcome _ = evacuate();
        access.synchronize();
        going = true;
        Extent page = Objects.requireNonNull(region.page);
        if (counted) {
            long _ = regions.close(region);
        } else {
            map.remove(region);
            PAGES.give(page, BYTES);
            region.page = null;
            region.open = false;
        }
        Extent others = PAGES.take(page.bytes(), false);
        for (long at = others.address(); at < others.address() + BYTES; at += Long.BYTES) {
            ADDRESS_SPACE.set(ValueLayout.JAVA_LONG, at, OTHERS);
        }
        PAGES.give(others, BYTES);
    }

    /** Copies the object as a cycle does; says what became of that. */
    Evacuation.Outcome evacuate() {
        return evacuation.evacuate(0, first, region);
    }

    /** The next phase of the region. */
    public void setPhase(int phase) {
        region.phase = phase;
    }

    /** The region is evacuated from now on, no matter who may still be in it. */
    public void evacuateAtOnce() {
        evacuation.underWay = true;
        region.phase = Region.EVACUATING;
        Evacuation.Outcome _ = evacuate();
    }

    /** Begins a cycle, which waits for those inside, and copies the object. */
    public void evacuateAfterGracePeriod() {
        evacuation.underWay = true;
        region.phase = Region.PREPARING;
        access.synchronize();
        region.phase = Region.EVACUATING;
        Evacuation.Outcome _ = evacuate();
        going = true;
    }

    /** Frees the object; whether it was there. */
    boolean free() {
        long word = evacuation.free(0, 1);
        if (word == 0) {
            return false;
        }
        long address = HandleWordLayout.address(word);
        map.at(address).died(ObjectLayout.footprint(BYTES));
        return true;
    }

    /** Writes to the object as an update does. */
    public void update(long value) {
        updateInSteps(value, 0);
    }

    /**
     * The same in steps: the thread stands still before it writes.
     *
     * @param looksMax as {@link #standStill} says; 0 to go on at once
     */
    void updateInSteps(long value, int looksMax) {
        PinCounts pins = evacuation.pins;
        long word = evacuation.underWay ? evacuation.writeBarrier(0, 1, pins) : table.word(0);
        if (looksMax > 0) {
            standStill(looksMax);
        }
        write(word, value);
        if (HandleWordLayout.state(word) == HandleWordLayout.PINNED) {
            pins.leave(0);
        }
    }

    /** Writes to the object without asking whether it moves. */
    public void updateInPlace(long value) {
        write(table.word(0), value);
    }

    /**
     * From the end to the front, since a copy goes the other way: so they meet, no matter who
     * began.
     */
    private static void write(long word, long value) {
        long content = ObjectLayout.content(HandleWordLayout.address(word));
        for (long offset = BYTES - Long.BYTES; offset >= 0; offset -= Long.BYTES) {
            ADDRESS_SPACE.set(ValueLayout.JAVA_LONG, content + offset, value);
        }
    }

    /** What is at the front of the object, where an update comes last. */
    public long value() {
        return valueAt(0);
    }

    /** What is at an offset of the object. */
    long valueAt(long offset) {
        long word = table.word(0);
        long content = ObjectLayout.content(HandleWordLayout.address(word));
        return ADDRESS_SPACE.get(ValueLayout.JAVA_LONG, content + offset);
    }

    /**
     * Whether nothing is alive in its first region, as the end of a cycle sees it, and the word
     * leads there still, as a reader who comes then sees it.
     */
    public boolean emptiedUnderReader() {
        return region.isEmptied() && table.word(0) == first;
    }

    /** The two in the wrong order. */
    public void countDeadThenPublish() {
        long _ = region.died(ObjectLayout.footprint(BYTES));
        long moved = HandleWordLayout.inState(first, HandleWordLayout.PINNED);
        boolean _ = table.compareAndSet(0, first, moved);
    }

    /** How many objects are alive in all regions. */
    long liveObjects() {
        long live = 0;
        for (Region each : regions.list()) {
            HeapCheck.verify(each);
            live += each.liveObjects();
        }
        return live;
    }

    /** Changes the word: counts in its address. */
    void changeWord() {
        long word = table.word(0);
        while (!table.compareAndSet(
                0, word, HandleWordLayout.movedTo(word, HandleWordLayout.address(word) + 8))) {
            word = table.word(0);
        }
    }

    /** How often the word was changed. */
    long wordChanges() {
        long now = HandleWordLayout.address(table.word(0));
        return (now - HandleWordLayout.address(first)) / 8;
    }

    /** Moves the leaf with the word. */
    void moveLeaf() {
        boolean _ = leaves.rebuild(new Throttle(1, new EvacuationCounts()), () -> false, false);
    }

    /** Gives all pages back. */
    public void giveBack() {
        regions.list().forEach(regions::close);
        leaves.giveUpAll();
    }
}
