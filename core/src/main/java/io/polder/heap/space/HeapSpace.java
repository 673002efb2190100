package io.polder.heap.space;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import io.polder.gate.Gate;
import io.polder.gate.Gate.LongOperation;
import io.polder.gate.Gate.Operation;
import io.polder.heap.HeapStatistics;
import io.polder.heap.RelocatingHeap;
import io.polder.memory.Exhaustion;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
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
 *   HeapSpace                     every use is a critical section of the access gate
 *     |-- HeapAllocation          tries, makes room and tries again, or refuses
 *     |     +-- NewObjects        room by the Allocator, a slot by HandleAllocator
 *     |     +-- RoomMaker         has a full heap compacted, and waits, not for ever
 *     |-- DeadObjects             counts them in their regions
 *     |-- ObjectLookup            where the object of a handle is
 *     |-- Evacuation              what one object goes through; the evacuation gate
 *     +-- Compactor --> Cycle     which regions are emptied, and when
 * }</pre>
 *
 * <p><b>Access gate.</b> Every method that touches an object or its word is inside; user code runs
 * inside, too. Grace periods of cycles wait on it, and it is closed when the heap is.
 *
 * <p><b>What is lent.</b> A segment dies with the function that got it. Where its lifetime cannot
 * be closed, {@link Loans} keep its region; the critical section ends nevertheless.
 *
 * <p><b>Waiting inside.</b> A thread in a function of {@code read} or {@code update} of any heap is
 * waited for by that heap. So it must not wait for another heap without a bound: an allocation
 * waits as {@link RoomMaker} says, and what waits for readers as long as they take is refused.
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
            (heap, handle, _) -> heap.freeInside(handle);

    private static final Operation<
                    HeapSpace,
                    Function<? super MemorySegment, ? extends @Nullable Object>,
                    @Nullable Object>
            READ = (heap, handle, reader) -> heap.lend(handle, reader);

    private static final LongOperation<HeapSpace, Consumer<? super MemorySegment>> UPDATE =
            (heap, handle, writer) -> heap.updateInside(handle, writer);

    private static final LongOperation<HeapSpace, MemorySegment> GET =
            (heap, handle, destination) -> heap.getInside(handle, destination);

    private static final Operation<HeapSpace, @Nullable Void, byte[]> TO_ARRAY =
            (heap, handle, _) -> ObjectLayout.toArray(heap.lookup.address(handle));

    private static final LongOperation<HeapSpace, MemorySegment> PUT =
            (heap, handle, source) -> heap.putInside(handle, source);

    private static final LongOperation<HeapSpace, @Nullable Void> SIZE =
            (heap, handle, _) -> ObjectLayout.sizeBytes(heap.lookup.address(handle));

    private static final LongOperation<HeapSpace, @Nullable Void> IS_LIVE =
            (heap, handle, _) -> {
                long word = heap.table.word(HandleLayout.index(handle));
                return HandleWordLayout.names(word, heap.lookup.generation(handle)) ? 1 : 0;
            };

    private static final LongOperation<HeapSpace, @Nullable Void> HANDLE_AT =
            (heap, index, _) -> heap.handleAtInside(index);

    /** What is done instead when the heap is closed. */
    static final LongSupplier REFUSAL = HeapSpace::refuse;

    private static final Supplier<byte[]> NO_RESULT = HeapSpace::refuse;

    private final int tag = HandleLayout.tagOf(HEAPS.getAndIncrement());
    final HandleTable table = new HandleTable();
    final RegionMap map = new RegionMap();
    private final Loans loans = new Loans();
    private final EvacuationCounts counts = new EvacuationCounts();
    final HeapPages pages;
    final HandleLeaves leaves;
    final Regions regions;
    private final HeapAllocation allocation;
    private final DeadObjects dead;
    final Gate access;
    final Evacuation evacuation;
    private final ObjectLookup lookup;
    final Compactor compactor;
    private final int number;
    private volatile boolean closed;

    /** Whether all memory was given back. */
    private volatile boolean gone;

    /** Run whenever it was closed. */
    private volatile Runnable closeAction = () -> {};

    /**
     * A heap without objects, beside no pool.
     *
     * @param pageSpace where its memory comes from
     * @param settings how it works
     */
    public HeapSpace(PageSpace pageSpace, HeapSettings settings) {
        this(pageSpace, settings, Exhaustion.IGNORED);
    }

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
        int stripes = Allocator.stripesFor(Runtime.getRuntime().availableProcessors());
        this.pages = new HeapPages(pageSpace, settings.options().maxBytes());
        this.leaves = new HandleLeaves(table, pages);
        HandleAllocator handles = new HandleAllocator(table, leaves, stripes);
        this.regions = new Regions(pages, map, loans);
        ToSpace toSpace = new ToSpace(regions, pages, settings);
        Allocator allocator = new Allocator(regions, stripes, toSpace);
        this.access = new Gate(settings.fence());
        this.evacuation = new Evacuation(table, map, toSpace, settings, counts);
        this.lookup = new ObjectLookup(tag, table, evacuation);
        RoomMaker room =
                new RoomMaker(this::compactFor, this::hasRoom, counts, settings.threads().room());
        Cycle cycle = new Cycle(access, evacuation, toSpace, regions, pages, counts, number);
        this.compactor =
                new Compactor(
                        new Compactor.Parts(
                                cycle,
                                regions,
                                allocator,
                                toSpace,
                                new TableCompaction(access, regions, leaves, counts),
                                pages,
                                room,
                                counts),
                        settings.options().compactionShare(),
                        settings.threads().compaction());
        this.dead = new DeadObjects(map, compactor);
        this.allocation =
                new HeapAllocation(
                        new NewObjects(tag, table, handles, allocator, dead),
                        access,
                        pages,
                        room,
                        exhaustion,
                        this::checkOpen,
                        compactor::deadBytes);
    }

    private <A extends @Nullable Object> long inside(
            LongOperation<HeapSpace, A> operation, long handle, A argument) {
        return access.insideAsLong(operation, this, handle, argument, REFUSAL);
    }

    /** Instead of what was to be done inside. */
    @SuppressWarnings({"DoNotCallSuggester", "TypeParameterUnusedInFormals"}) // returns nothing
    static <R> R refuse() {
        throw new IllegalStateException("the heap is closed");
    }

    @Override
    public long allocate(long bytes) {
        return allocation.allocate(bytes, null, false);
    }

    @Override
    public long allocate(MemorySegment content) {
        return allocation.allocate(content.byteSize(), content, false);
    }

    @Override
    public long allocate(MemoryLayout layout) {
        if (layout.byteAlignment() > ObjectLayout.ALIGNMENT_BYTES) {
            throw new IllegalArgumentException(
                    "a layout must be aligned to "
                            + ObjectLayout.ALIGNMENT_BYTES
                            + " bytes at most, as objects are: alignment="
                            + layout.byteAlignment());
        }
        return allocation.allocate(layout.byteSize(), null, false);
    }

    @Override
    public long tryAllocate(long bytes) {
        return allocation.allocate(bytes, null, true);
    }

    @Override
    public long tryAllocate(MemorySegment content) {
        return allocation.allocate(content.byteSize(), content, true);
    }

    /**
     * Makes room for others of its pool, if enough is dead and the thread is outside of it.
     *
     * @param bytes how much is wanted
     * @param waits whether to wait for that, as long as it gets on
     * @return whether there may be room now
     */
    public boolean makeRoom(long bytes, boolean waits) {
        return !closed && allocation.makeRoomForOthers(bytes, waits);
    }

    private boolean compactFor(RoomMaker.Wanted wanted) {
        return compactor.makeRoom(wanted);
    }

    private boolean hasRoom(RoomMaker.Wanted wanted) {
        return compactor.hasRoom(wanted);
    }

    @Override
    public void free(long handle) {
        long _ = inside(FREE, handle, null);
    }

    private long freeInside(long handle) {
        long index = HandleLayout.index(handle);
        long word = evacuation.free(index, lookup.generation(handle));
        if (word == 0) {
            throw lookup.stale(handle, table.word(index));
        }
        leaves.freed(index, word);
        dead.add(HandleWordLayout.address(word));
        return 0;
    }

    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // READ returns what the function has returned
    public <R extends @Nullable Object> R read(
            long handle, Function<? super MemorySegment, ? extends R> reader) {
        return (R) access.inside(READ, this, handle, reader, NO_RESULT);
    }

    private <R extends @Nullable Object> R lend(
            long handle, Function<? super MemorySegment, ? extends R> reader) {
        Arena lifetime = Arena.ofConfined();
        long address = 0;
        try (lifetime) {
            address = lookup.address(handle);
            return reader.apply(ObjectLayout.view(address, lifetime).asReadOnly());
        } catch (Throwable thrown) {
            boolean ended = false;
            try {
                ended = !lifetime.scope().isAlive();
            } catch (Throwable _) { // there was no stack to ask: Loans will
            }
            if (!ended) {
                synchronized (loans) { // in place, like the end of the critical section
                    Loan loan = loans.spare;
                    if (loan != null) {
                        loans.spare = loan.next;
                    } else {
                        try {
                            loan = new Loan();
                        } catch (Throwable _) {
                            loans.unknown = true;
                        }
                    }
                    if (loan != null) {
                        loan.address = address;
                        loan.lifetime = lifetime;
                        loan.next = loans.first;
                        loans.first = loan;
                    }
                }
            }
            throw thrown;
        }
    }

    @Override
    public void update(long handle, Consumer<? super MemorySegment> writer) {
        long _ = inside(UPDATE, handle, writer);
    }

    private long updateInside(long handle, Consumer<? super MemorySegment> writer) {
        if (evacuation.isUnderWay()) {
            lendInCycle(handle, writer);
        } else {
            lend(handle, 0, writer);
        }
        return 0;
    }

    /** Lends an object, which stays where it is meanwhile. */
    private void lendInCycle(long handle, Consumer<? super MemorySegment> writer) {
        PinCounts counted = evacuation.pins();
        long word = lookup.resolveForUpdate(handle, counted);
        try {
            lend(handle, HandleWordLayout.address(word), writer);
        } finally {
            ObjectLookup.updateEnded(handle, word, counted);
        }
    }

    /**
     * Lends an object.
     *
     * @param pinnedAt where it is; 0 if it may be looked up
     */
    private void lend(long handle, long pinnedAt, Consumer<? super MemorySegment> writer) {
        Arena lifetime = Arena.ofConfined();
        long address = pinnedAt;
        try (lifetime) {
            if (address == 0) {
                address = lookup.address(handle);
            }
            writer.accept(ObjectLayout.view(address, lifetime));
        } catch (Throwable thrown) {
            boolean ended = false;
            try {
                ended = !lifetime.scope().isAlive();
            } catch (Throwable _) { // there was no stack to ask: Loans will
            }
            if (!ended) {
                synchronized (loans) { // in place, like the end of the critical section
                    Loan loan = loans.spare;
                    if (loan != null) {
                        loans.spare = loan.next;
                    } else {
                        try {
                            loan = new Loan();
                        } catch (Throwable _) {
                            loans.unknown = true;
                        }
                    }
                    if (loan != null) {
                        loan.address = address;
                        loan.lifetime = lifetime;
                        loan.next = loans.first;
                        loans.first = loan;
                    }
                }
            }
            throw thrown;
        }
    }

    @Override
    public void get(long handle, MemorySegment destination) {
        long _ = inside(GET, handle, destination);
    }

    private long getInside(long handle, MemorySegment destination) {
        long address = lookup.address(handle);
        long bytes = ObjectLayout.sizeBytes(address);
        MemorySegment.copy(ADDRESS_SPACE, ObjectLayout.content(address), destination, 0, bytes);
        return bytes;
    }

    @Override
    public byte[] toArray(long handle) {
        return access.inside(TO_ARRAY, this, handle, null, NO_RESULT);
    }

    @Override
    public void put(long handle, MemorySegment source) {
        long _ = inside(PUT, handle, source);
    }

    private long putInside(long handle, MemorySegment source) {
        if (evacuation.isUnderWay()) {
            putInCycle(handle, source);
        } else {
            ObjectLayout.copyInto(lookup.address(handle), source);
        }
        return 0;
    }

    private void putInCycle(long handle, MemorySegment source) {
        PinCounts counted = evacuation.pins();
        long word = lookup.resolveForUpdate(handle, counted);
        try {
            ObjectLayout.copyInto(HandleWordLayout.address(word), source);
        } finally {
            ObjectLookup.updateEnded(handle, word, counted);
        }
    }

    @Override
    public long size(long handle) {
        return inside(SIZE, handle, null);
    }

    @Override
    public boolean isLive(long handle) {
        return inside(IS_LIVE, handle, null) != 0;
    }

    @Override
    public void forEach(LongConsumer action) {
        checkOpen();
        int count = leaves.leafCount();
        for (long index = 0; index < (long) count << HandleTable.SLOT_BITS; index++) {
            long handle = inside(HANDLE_AT, index, null);
            if (handle != 0) {
                action.accept(handle);
            }
        }
    }

    /** 0 if there is no object with this index. */
    private long handleAtInside(long index) {
        long word = table.word(index);
        return HandleWordLayout.state(word) == HandleWordLayout.FREE
                ? 0
                : HandleLayout.of(tag, HandleWordLayout.generation(word), index);
    }

    @Override
    public long compact() {
        checkOutside("compact()");
        checkOpen();
        return compactor.compact();
    }

    void checkOpen() {
        if (closed) {
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
    public HeapStatistics stats() {
        return HeapFigures.of(
                number,
                RegionTotals.of(regions),
                leaves.pageBytes(),
                pages.maxBytes(),
                counts,
                access.statistics());
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

    /** What every use passes. */
    Gate accessGate() {
        return access;
    }

    /** What threads that copy pass; null if nobody closes it. */
    @Nullable Gate evacuationGate() {
        return evacuation.gate();
    }

    /** What was cut off is done when it is called again: each step may be done twice. */
    @Override
    public void close() {
        checkOutside("close()");
        if (!gone) {
            closed = true;
            compactor.close();
            access.close();
            compactor.end(this::giveAll);
            gone = regions.count() == 0; // what is lent stays for a later call
        }
        closeAction.run();
    }

    private void giveAll() {
        regions.closeAll();
        leaves.giveUpAll();
    }
}
