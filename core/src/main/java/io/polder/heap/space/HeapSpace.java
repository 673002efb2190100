package io.polder.heap.space;

import static io.polder.heap.space.HeapAllocation.NO_HANDLE;

import io.polder.gate.Gate;
import io.polder.gate.Gate.LongOperation;
import io.polder.gate.Insider;
import io.polder.heap.HeapObjects;
import io.polder.heap.RelocatingHeap;
import io.polder.memory.Exhaustion;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Objects that are named by handles and move while they are used.
 *
 * <pre>{@code
 *   handle --> HandleTable: word --> object in a Region, a page of the PageSpace
 *
 *   HeapSpace                     a use is a critical section of the access gate
 *     |-- HeapAllocation          tries, makes room and tries again, or refuses
 *     |     +-- NewObjects        room by the Allocator, a slot by HandleAllocator
 *     |     +-- RoomMaker         has a full heap compacted, and waits, not for ever
 *     |-- ObjectLookup            where the object of a handle is
 *     |-- Lending                 gives objects to functions, or sessions
 *     |-- Contents                copies bytes, changes numbers
 *     |     +-- OptimisticReads   numbers and a few bytes, outside of the gate
 *     |-- Batches                 the same for many objects
 *     |-- Evacuation              what one object goes through; the evacuation gate
 *     +-- Compactor --> Cycle     counts the dead; which regions are emptied, and when
 * }</pre>
 *
 * <p><b>Access gate.</b> Every method that touches an object or its word is inside, but for {@link
 * OptimisticReads}; user code runs inside, too. Grace periods of cycles wait on it, and it is
 * closed when the heap is.
 *
 * <p><b>Waiting inside.</b> A thread in a function of {@code read}, {@code update}, {@code compute}
 * or {@code session} of any heap is waited for by that heap. So it must not wait for another heap
 * without a bound: an allocation waits as {@link RoomMaker} says, and what waits for readers as
 * long as they take is refused.
 *
 * <p><b>Order inside.</b> A thread reads whether a cycle is under way before it reads the word of
 * the object: {@link Evacuation}.
 *
 * <p>Thread-safe.
 */
public final class HeapSpace implements RelocatingHeap {
    private static final AtomicLong HEAPS = new AtomicLong();

    // What is done inside. Constants, so that nothing is allocated for a use.

    private static final LongOperation<HeapSpace, @Nullable Void> FREE =
            (heap, handle, _, _, _, _) -> heap.freeInside(handle);

    private static final LongOperation<HeapSpace, @Nullable Void> HANDLE_AT =
            (heap, index, _, _, _, _) -> heap.handleAtInside(index);

    private static final LongOperation<HeapSpace, long[]> NEXT_OLDEST =
            (heap, position, _, _, _, handles) -> RegionWalk.next(heap, position, handles);

    /** What is done instead when the heap is closed. */
    static final LongSupplier REFUSAL = HeapSpace::refuse;

    private static final Supplier<Object> NO_RESULT = HeapSpace::refuse;

    final HandleTable table = new HandleTable();
    final RegionMap map = new RegionMap();
    final EvacuationCounts counts = new EvacuationCounts();
    final HeapPages pages;
    final HandleLeaves leaves;
    final Regions regions;
    final Allocator allocator;
    final HeapAllocation allocation;
    final Gate access;
    final Evacuation evacuation;
    final ObjectLookup lookup;
    private final Lending lending;
    private final Contents contents;
    private final OptimisticReads optimistic;
    private final Batches batches;
    final Compactor compactor;
    private final int number;

    /** Whether all memory was given back. */
    private volatile boolean gone;

    /** Run whenever it was closed. */
    private volatile Runnable closeAction = () -> {};

    /**
     * A heap without objects.
     *
     * @param pageSpace where its memory comes from
     * @param settings how it works
     * @param exhaustion is asked for room before an allocation is refused for want of the pool's
     *     memory, and told of each that is refused
     */
    public HeapSpace(PageSpace pageSpace, HeapSettings settings, Exhaustion exhaustion) {
        this.number = settings.number();
        int tag = HandleLayout.tagOf(HEAPS.getAndIncrement());
        int stripes = Allocator.stripesFor(Runtime.getRuntime().availableProcessors());
        this.pages = new HeapPages(pageSpace, exhaustion, settings.options().maxBytes());
        this.leaves = new HandleLeaves(table, pages);
        HandleAllocator handles = new HandleAllocator(table, leaves, stripes);
        Loans loans = new Loans();
        this.regions = new Regions(pages, map, loans);
        ToSpace toSpace = new ToSpace(regions, pages, settings);
        this.allocator = new Allocator(regions, stripes, toSpace);
        this.access = new Gate(settings.fence());
        this.evacuation = new Evacuation(table, map, toSpace, settings, counts);
        this.lookup = new ObjectLookup(tag, table, evacuation);
        this.contents = new Contents(access, lookup);
        this.lending = new Lending(lookup, loans);
        this.optimistic = new OptimisticReads(tag, table, pages, contents);
        Cycle cycle = new Cycle(access, evacuation, toSpace, regions, pages, counts, number);
        this.compactor =
                new Compactor(
                        cycle,
                        allocator,
                        new TableCompaction(access, regions, leaves),
                        settings.options().compactionShare(),
                        settings.threads());
        access.whileWaiting(compactor, Compactor::heldUp);
        NewObjects newObjects = new NewObjects(handles, allocator, compactor, lookup);
        this.allocation = new HeapAllocation(newObjects, access, pages, compactor, exhaustion);
        this.batches = new Batches(this, newObjects);
    }

    private long inside(LongOperation<HeapSpace, @Nullable Void> operation, long handle) {
        return access.insideAsLong(operation, this, handle, 0, 0, 0, null, REFUSAL);
    }

    private long change(NumberChange change, long handle, long one, long two, long three) {
        return contents.inside(change, handle, one, two, three, null);
    }

    /** Instead of what was to be done inside. */
    @SuppressWarnings({"DoNotCallSuggester", "TypeParameterUnusedInFormals"}) // returns nothing
    static <R> R refuse() {
        throw new IllegalStateException("the heap is closed");
    }

    @Override
    public long allocate(long bytes) {
        return allocation.allocate(NO_HANDLE, bytes, null, false);
    }

    @Override
    public long allocate(MemorySegment content) {
        return allocation.allocate(NO_HANDLE, content.byteSize(), content, false);
    }

    @Override
    public long tryAllocate(long bytes) {
        return allocation.allocate(NO_HANDLE, bytes, null, true);
    }

    @Override
    public long tryAllocate(MemorySegment content) {
        return allocation.allocate(NO_HANDLE, content.byteSize(), content, true);
    }

    /**
     * Makes room for others of its pool, if enough is dead and the thread is outside of it.
     *
     * @param bytes how much is wanted
     * @param waits whether to wait for that, as long as it gets on
     * @return whether there may be room now
     */
    public boolean makeRoom(long bytes, boolean waits) {
        return !access.isClosed()
                && !access.isInside()
                && compactor.room.makeForOthers(bytes, waits);
    }

    @Override
    public void free(long handle) {
        long _ = inside(FREE, handle);
        compactor.wakeIfDue();
    }

    @Override
    public void allocateAll(long bytes, long[] handles) {
        batches.allocateAll(bytes, handles);
    }

    @Override
    public void freeAll(long[] handles) {
        batches.freeAll(handles);
    }

    @Override
    public void getAll(long[] handles, long offset, long bytes, MemorySegment destination) {
        batches.getAll(handles, offset, bytes, destination);
    }

    /** Frees an object, for who calls {@link Compactor#wakeIfDue} later; returns its handle. */
    long freeInside(long handle) {
        long index = HandleLayout.index(handle);
        long word = evacuation.free(index, lookup.generation(handle));
        if (word == 0) {
            throw lookup.stale(handle, table.word(index));
        }
        leaves.freed(index, word);
        compactor.died(HandleWordLayout.address(word));
        return handle;
    }

    @Override
    public void resize(long handle, long bytes) {
        long known = optimistic.size(handle);
        allocation.check(bytes);
        boolean isToMove = ObjectLayout.footprint(bytes) != ObjectLayout.footprint(known);
        if (isToMove
                || (bytes != known
                        && contents.inside(Contents.RESIZE, handle, bytes, 0, 0, null) == 0)) {
            long _ = allocation.allocate(handle, bytes, null, false);
        }
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // READ returns what the function has returned
    public <R extends @Nullable Object> R read(
            long handle, Function<? super MemorySegment, ? extends R> reader) {
        Objects.requireNonNull(reader, "reader");
        return (R) access.inside(Lending.READ, lending, handle, reader, NO_RESULT);
    }

    @Override
    public void update(long handle, Consumer<? super MemorySegment> writer) {
        Objects.requireNonNull(writer, "writer");
        long _ = access.insideAsLong(Lending.UPDATE, lending, handle, 0, 0, 0, writer, REFUSAL);
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // likewise
    public <R extends @Nullable Object> R compute(
            long handle, Function<? super MemorySegment, ? extends R> writer) {
        Objects.requireNonNull(writer, "writer");
        return (R) access.inside(Lending.COMPUTE, lending, handle, writer, NO_RESULT);
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // likewise
    public <R extends @Nullable Object> R session(
            Function<? super HeapObjects, ? extends R> function) {
        Objects.requireNonNull(function, "function");
        return (R) access.inside(Lending.SESSION, lending, 0, function, NO_RESULT);
    }

    @Override
    public byte getByte(long handle, long offset) {
        return (byte) optimistic.get(handle, offset, Byte.BYTES);
    }

    @Override
    public int getInt(long handle, long offset) {
        return (int) optimistic.get(handle, offset, Integer.BYTES);
    }

    @Override
    public long getLong(long handle, long offset) {
        return optimistic.get(handle, offset, Long.BYTES);
    }

    @Override
    public void setByte(long handle, long offset, byte value) {
        long _ = change(NumberChange.SET_BYTE, handle, offset, value, 0);
    }

    @Override
    public void setInt(long handle, long offset, int value) {
        long _ = change(NumberChange.SET_INT, handle, offset, value, 0);
    }

    @Override
    public void setLong(long handle, long offset, long value) {
        long _ = change(NumberChange.SET_LONG, handle, offset, value, 0);
    }

    @Override
    public int getAndAddInt(long handle, long offset, int delta) {
        return (int) change(NumberChange.ADD_INT, handle, offset, delta, 0);
    }

    @Override
    public long getAndAddLong(long handle, long offset, long delta) {
        return change(NumberChange.ADD_LONG, handle, offset, delta, 0);
    }

    @Override
    public boolean compareAndSetInt(long handle, long offset, int expected, int value) {
        return change(NumberChange.COMPARE_AND_SET_INT, handle, offset, expected, value) != 0;
    }

    @Override
    public boolean compareAndSetLong(long handle, long offset, long expected, long value) {
        return change(NumberChange.COMPARE_AND_SET_LONG, handle, offset, expected, value) != 0;
    }

    @Override
    public long get(long handle, MemorySegment destination) {
        return optimistic.getAll(handle, destination);
    }

    @Override
    public void get(long handle, long offset, MemorySegment destination) {
        optimistic.get(handle, offset, destination);
    }

    @Override
    public void get(long handle, long offset, byte[] destination, int from, int length) {
        long _ = contents.inside(Contents.GET_ARRAY, handle, offset, from, length, destination);
    }

    @Override
    public byte[] toArray(long handle) {
        return (byte[]) access.inside(Contents.TO_ARRAY, lookup, handle, null, NO_RESULT);
    }

    @Override
    public void put(long handle, long offset, MemorySegment source) {
        long _ = contents.inside(Contents.PUT, handle, offset, 0, 0, source);
    }

    @Override
    public void put(long handle, long offset, byte[] source, int from, int length) {
        long _ = contents.inside(Contents.PUT_ARRAY, handle, offset, from, length, source);
    }

    @Override
    public long mismatch(long handle, MemorySegment other) {
        return contents.inside(Contents.MISMATCH, handle, 0, 0, 0, other);
    }

    @Override
    public long contentHash(long handle) {
        return contents.inside(Contents.HASH, handle, 0, 0, 0, null);
    }

    @Override
    public long size(long handle) {
        return optimistic.size(handle);
    }

    @Override
    public boolean isLive(long handle) {
        return optimistic.isLive(handle);
    }

    @Override
    public void forEach(LongConsumer handles) {
        Objects.requireNonNull(handles, "handles");
        checkOpen();
        int count = leaves.leafCount();
        for (long index = 0; index < (long) count << HandleTable.SLOT_BITS; index++) {
            long handle = inside(HANDLE_AT, index);
            if (handle != 0) {
                handles.accept(handle);
            }
        }
    }

    @Override
    public long nextOldest(long position, long[] handles) {
        if (position < 0) {
            throw new IllegalArgumentException("0 <= position: position=" + position);
        }
        return access.insideAsLong(NEXT_OLDEST, this, position, 0, 0, 0, handles, REFUSAL);
    }

    /** 0 if there is no object with this index. */
    private long handleAtInside(long index) {
        long word = table.word(index);
        return HandleWordLayout.state(word) == HandleWordLayout.FREE
                ? 0
                : lookup.handle(index, word);
    }

    @Override
    public long compact() {
        checkOutside("compact()");
        checkOpen();
        return compactor.compact();
    }

    void checkOpen() {
        if (access.isClosed()) {
            long _ = refuse();
        }
    }

    void checkOutside(String what) {
        if (access.isInside() || InsideAnyHeap.isRunningThread()) {
            throw new IllegalStateException(
                    what
                            + " must not be called by a function that reads or updates an object,"
                            + " of this heap or another: it would wait for itself");
        }
    }

    @Override
    public HeapFigures stats() {
        RegionTotals totals = RegionTotals.of(regions);
        Insider insider = access.longestInside();
        return new HeapFigures(
                number,
                totals.liveObjects(),
                totals.liveBytes(),
                totals.filledBytes(),
                totals.regionBytes(),
                leaves.pageBytes(),
                pages.maxBytes == Long.MAX_VALUE ? -1 : pages.maxBytes,
                counts.cycles.get(),
                counts.copiedBytes.sum(),
                counts.outOfMemoryCycles.get(),
                counts.waitsForCopies.sum(),
                counts.givenBackBytes.get(),
                counts.workNanos.get(),
                counts.longestWaitNanos.get(),
                insider == null ? null : insider.thread(),
                insider == null ? 0 : insider.atLeastNanos());
    }

    /** Has something run whenever the heap was closed; before others know the heap. */
    public void onClose(Runnable action) {
        closeAction = action;
    }

    /**
     * Says how much memory the heap has. May be asked when nobody can reach the heap any more, and
     * does not keep it reachable.
     */
    public LongSupplier heldBytes() {
        Regions itsRegions = regions;
        HandleLeaves itsLeaves = leaves;
        return () -> RegionTotals.of(itsRegions).regionBytes() + itsLeaves.pageBytes();
    }

    /** What an error left undone is done when it is called again: each step may be done twice. */
    @Override
    public void close() {
        checkOutside("close()");
        if (!gone) {
            optimistic.end();
            compactor.close();
            access.close();
            compactor.end(this::giveAll);
            gone = regions.count() == 0; // what is lent stays for a later call
        }
        closeAction.run();
    }

    private void giveAll() {
        allocator.end(); // who opens a region outside of the gate has ended, or is refused
        regions.closeAll();
        leaves.giveUpAll();
    }
}
