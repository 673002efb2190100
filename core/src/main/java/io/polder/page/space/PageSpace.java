package io.polder.page.space;

import io.polder.background.Background;
import io.polder.background.Task;
import io.polder.leak.LeakDetector;
import io.polder.memory.Exhaustion;
import io.polder.memory.MapSink;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryProvider;
import io.polder.page.Page;
import io.polder.page.PageCache;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * Memory in pages of whole granules: taken in any size without a system call while there is a run
 * long enough, coalesced when given, assembled by moving page tables when it is scattered.
 *
 * <pre>{@code
 *            UserPages -- PageSpace                what users see; views
 *                          |      \____________________
 *   WaitQueue -- PageRequests        \        \         \
 *               |       \       Defragmenter  Cleaner  Decay
 *           PageAllocator        /    \                |
 *                   \           /      \               |
 *                    \    Assembler     PageUncommitter     system calls, no lock held
 *                     \       |         /
 *                       PageState                  sums, Demand: the innermost lock
 *                          |
 *                    PageReservation               extents tile it; RunIndex, BitTree
 * }</pre>
 *
 * <p><b>A page</b> is an {@link Extent}, which belongs to the thread that took it until it is
 * given. Small ones, of one granule, are taken from the lowest addresses, all others from the
 * highest.
 *
 * <p><b>Content.</b> A caller that needs zeros says so, and finds them; one that does not may find
 * what earlier owners of this space have left there.
 *
 * <p><b>Memory.</b> What is given stays committed until the {@link Decay}, a {@linkplain #trim
 * trim}, or somebody who needs room under the limits of the budget uncommits it. After all pages
 * are given and a trim, reserved and committed are exactly zero.
 *
 * <p><b>Where the provider cannot uncommit</b>, reservations are made page by page and released
 * when they are free as a whole; nothing can be moved, so a request may fail although enough is
 * free in pieces.
 *
 * <p><b>Failure.</b> {@link MemoryExhaustedException} when a limit or the operating system is in
 * the way, and nothing is lost then. What cannot be uncommitted stays committed and free.
 *
 * <p><b>Errors.</b> Whatever is thrown wherever: a take that throws has taken nothing, and a give
 * that throws has not given. What an error left half done is finished by the next who looks: see
 * {@link PageState}. Closing a space reclaims what an error left besides.
 *
 * <p><b>Threads.</b> Thread-safe. Order of locks: {@link PageAllocator#reserving}, {@link
 * PageState}.
 */
public final class PageSpace implements PageCache, MemoryBudget.Shrinker {

    /** A granule: the unit of everything here. */
    public static final long GRANULE_BYTES = MemoryProvider.REMAP_GRANULE_BYTES;

    /** How events call it. */
    static final String PART = "pages";

    /** So often it is looked again at what others have isolated anew, and waited. */
    private static final int LOOKS_MAX = 100;

    final PageState state;
    private final PageUncommitter uncommitter;
    final PageAllocator allocator;
    final Cleaner cleaner;
    final PageRequests requests;
    private final UserPages users;
    final Exhaustion exhaustion;
    private final Defragmenter defragmenter;
    final WaitQueue queue;
    private final Background background;
    final @Nullable Task defragmenting;
    final Task decaying;

    /** How long what is free stays committed, unless somebody wants it uncommitted. */
    public final long decayNanos;

    /**
     * A space without memory.
     *
     * @param provider where memory comes from
     * @param budget what it may have; the space is a shrinker of it from now on
     * @param background where it works beside its callers
     * @param settings how
     * @param exhaustion is asked for room before a user's page is refused, and told when it is
     * @param leaks finds pages of users that are not given; null if nobody wants to know
     */
    public PageSpace(
            MemoryProvider provider,
            MemoryBudget budget,
            Background background,
            PageSettings settings,
            Exhaustion exhaustion,
            @Nullable LeakDetector leaks) {
        this.decayNanos = settings.decayNanos();
        this.state = new PageState(provider, budget, settings.hugePages());
        this.queue = new WaitQueue(budget);
        this.uncommitter = new PageUncommitter(state);
        Assembler assembler = new Assembler(state);
        this.allocator = new PageAllocator(state, assembler, uncommitter);
        this.cleaner = new Cleaner(state);
        this.defragmenter = new Defragmenter(state, assembler, uncommitter, cleaner);
        this.background = background;
        this.defragmenting =
                settings.defragmenting()
                        ? background.task(defragmenter::tick, Defragmenter.PERIOD_NANOS)
                        : null;
        Decay decay = new Decay(state, uncommitter);
        this.decaying =
                background.task(
                        () -> {
                            boolean more = decay.slice();
                            queue.wake();
                            return more;
                        },
                        Math.max(1, decayNanos / Decay.SLICES));
        this.exhaustion = exhaustion;
        this.requests = new PageRequests(this, state, queue);
        this.users = new UserPages(this, leaks);
        budget.add(this);
    }

    @Override
    public long uncommitFree(long wantedBytes) {
        return free(wantedBytes, false);
    }

    @Override
    public long releaseFree(long wantedBytes) {
        return free(wantedBytes, true);
    }

    /**
     * Gives memory or addresses back. What others have isolated is free as well, and comes back, or
     * is gone: they are waited for. If it came back before it was looked for, it is there at the
     * last look. Not for a thread that has isolated something itself.
     */
    private long free(long wantedBytes, boolean addresses) {
        long wanted = Granules.holding(wantedBytes);
        long done = 0;
        boolean more = true;
        for (int looks = 0; more && done < wanted; looks++) {
            more = looks == 0 || (looks <= LOOKS_MAX && state.awaitIsolated());
            long left = wanted - done;
            done += addresses ? releaseNow(left) : uncommitter.uncommit(left);
        }
        return Granules.bytes(done);
    }

    /** Uncommits what is free now, and releases; returns how many granules were released. */
    private long releaseNow(long wanted) {
        if (state.provider.canUncommit()) {
            long _ = uncommitter.uncommit(Long.MAX_VALUE);
        }
        return uncommitter.releaseWhole(wanted, false);
    }

    /**
     * Takes a page of exactly so many bytes, rounded up to whole granules. Does not wait, and so
     * may pass threads that wait in the queue.
     *
     * @param bytes from 1 on
     * @param zero whether it must read as zero
     * @throws IllegalArgumentException if bytes is not positive or beyond the address space
     * @throws MemoryExhaustedException if a limit or the system is in the way
     * @throws IllegalStateException if the space is closed
     */
    public Extent take(long bytes, boolean zero) {
        int count = Granules.count(bytes);
        return requests.take(count, count, zero, new Extent(false));
    }

    /**
     * The same of a page that may {@link #extend grow}. What does not read as zero of it was left
     * by pages that could grow.
     *
     * @param far whether it gets addresses for several times its size, if need be reserved for it:
     *     where nothing limits addresses
     */
    public Extent takeToGrow(long bytes, boolean zero, boolean far) {
        int count = Granules.count(bytes);
        return requests.take(count, count, zero, new Extent(true, far));
    }

    /**
     * Makes a page longer where it is, if what lies behind it is free and no limit is in the way
     * when what is free elsewhere was given back; what is added reads as zero, or is what pages
     * that could grow left. Otherwise it may be longer as well, but not as long as wanted.
     *
     * @param page what the caller has taken, and nobody gives meanwhile
     * @param bytes how long it is to be
     * @return whether it is
     */
    public boolean extend(Extent page, long bytes) {
        return requests.extend(page, Granules.count(bytes));
    }

    /**
     * Takes the largest page of a power of two of bytes between two sizes that is contiguous now,
     * one with memory behind it before others; if there is none, one is assembled, the largest that
     * can be.
     *
     * @param leastBytes the least size, a power of two, at least a granule
     * @param mostBytes the greatest size, a power of two, not less
     * @param zero whether it must read as zero
     * @throws IllegalArgumentException if a size is not as said
     * @throws MemoryExhaustedException if a limit or the system is in the way of the least size
     * @throws IllegalStateException if the space is closed
     */
    public Extent take(long leastBytes, long mostBytes, boolean zero) {
        boolean powers = Long.bitCount(leastBytes) == 1 && Long.bitCount(mostBytes) == 1;
        if (!powers || leastBytes < GRANULE_BYTES || leastBytes > mostBytes) {
            throw new IllegalArgumentException(
                    "sizes must be powers of two, "
                            + GRANULE_BYTES
                            + " <= leastBytes <= mostBytes: leastBytes="
                            + leastBytes
                            + ", mostBytes="
                            + mostBytes);
        }
        int least = Granules.count(leastBytes);
        return requests.take(least, Granules.count(mostBytes), zero, new Extent(false));
    }

    /**
     * Takes a page as {@link #take(long, boolean)} does, but behind those who wait already, and
     * waits for it.
     *
     * @param deadline how long at most
     * @throws InterruptedException if the thread is interrupted while it waits
     * @throws MemoryExhaustedException if the time is over; names the limit. At once if the machine
     *     has less
     */
    public Extent takeOrWait(long bytes, boolean zero, Deadline deadline)
            throws InterruptedException {
        int count = Granules.count(bytes);
        return requests.take(count, count, zero, new Extent(false), deadline);
    }

    /**
     * Cleans a page, so that it can be given with nothing dirty: what of it has memory is zeroed,
     * or it is given back to the system.
     *
     * @param page what was taken and not given yet
     * @param dirtyBytes how much of it, from its front, may not be zero
     */
    public void clean(Extent page, long dirtyBytes) {
        page.reservation().dirt.dirtied(page, dirtyBytes);
        cleaner.clean(page, true);
    }

    /**
     * Gives a page back. No system call is made.
     *
     * @param page what was taken, and is the caller's no longer when this returns
     * @param dirtyBytes how much of it, from its front, may not be zero; what was dirty when it was
     *     taken still is
     * @throws IllegalArgumentException if it is of another space, or has not so many bytes
     * @throws IllegalStateException if it was given already
     */
    public void give(Extent page, long dirtyBytes) {
        requests.give(page, dirtyBytes);
    }

    /**
     * Has the system asked for huge pages behind a page and all that is reserved with it, also for
     * pages that others take there later: so a reservation stays one mapping. Memory that is
     * touched already stays as it is.
     */
    public void wantHugePages(Extent page) {
        PageReservation reservation = page.reservation();
        if (!reservation.wantsHugePages) {
            reservation.wantsHugePages = true;
            boolean _ =
                    state.provider.adviseHugePages(
                            reservation.address(), reservation.bytes(), true);
        }
    }

    @Override
    public Page allocate(long bytes) {
        return users.take(() -> take(bytes, true), false);
    }

    @Override
    public Page allocate(long leastBytes, long mostBytes) {
        return users.take(() -> take(leastBytes, mostBytes, true), false);
    }

    @Override
    public Page allocate(long bytes, Duration timeout) throws InterruptedException {
        Deadline deadline = Deadline.after(timeout, exhaustion::makeRoom);
        return users.take(() -> takeOrWait(bytes, true, deadline), true);
    }

    /** What pages are taken and free now, and what was asked for so far. */
    public PageFigures statistics() {
        int keptByViews = users.keptByViews();
        int waiting = queue.size();
        synchronized (state) {
            state.recoverIfNeededLocked();
            return PageFigures.ofLocked(state, keptByViews, waiting);
        }
    }

    /** How long the longest run is that is free and has memory. */
    public long largestRunBytes() {
        synchronized (state) {
            state.recoverIfNeededLocked();
            int longest = 0;
            for (PageReservation reservation : state.reserved) {
                BitTree runs = reservation.warm.all;
                for (int run = runs.last(); run != BitTree.NONE; run = runs.before(run)) {
                    longest = Math.max(longest, reservation.runs[run]);
                }
            }
            return Granules.bytes(longest);
        }
    }

    /** How many calls the system has refused so far. */
    public long refusals() {
        synchronized (state) {
            state.recoverIfNeededLocked();
            return state.refusals;
        }
    }

    /** How much a page takes up that has so many bytes. */
    public static long roundUp(long bytes) {
        return Granules.bytes(Granules.holding(bytes));
    }

    /** What their pool is called. */
    public String poolName() {
        return state.budget.poolName;
    }

    /** Whether anybody is in the queue, or about to be. */
    public boolean isWaitedFor() {
        return queue.isWaitedFor();
    }

    /**
     * How much the running thread waits for in the queue; 0 if it is not there. One that is learns
     * itself that there is no memory.
     */
    public long queuedBytes() {
        return queue.bytesOfRunningThread();
    }

    /** Lets the first in the queue try again, if there is one: room has come under a limit. */
    public void roomCame() {
        queue.wake();
    }

    @Override
    public void prefetch(long bytes, int count) {
        int granules = Granules.count(bytes);
        if (count < 0) {
            throw new IllegalArgumentException("0 <= count: count=" + count);
        }
        synchronized (state) {
            state.recoverIfNeededLocked();
            state.checkOpenLocked();
            state.demand.expect(granules, count);
        }
        if (defragmenting != null && count > 0) {
            background.execute(defragmenter::prepare);
            defragmenting.wake();
        }
    }

    /**
     * Uncommits all free memory, and releases reservations that are free as a whole.
     *
     * @return how many bytes were uncommitted
     */
    public long trim() {
        int _ = users.keptByViews();
        state.abandoned = true; // what errors have left
        long before = state.uncommittedTotal();
        long _ = free(Long.MAX_VALUE, true);
        queue.wake();
        return state.uncommittedTotal() - before;
    }

    /**
     * Has all addresses, of now and of later, stay mapped for as long as the process runs, also
     * when they are released: for threads that read pages which may be given back.
     *
     * @return whether they do; if not, nobody may read so
     */
    public boolean leaveMapped() {
        state.leavesMapped = true;
        return state.provider.canReleaseMapped();
    }

    /** Whether an address lies in memory that is reserved for pages. */
    public boolean contains(long address) {
        return state.contains(address);
    }

    /** Whether it hands out nothing any more. Asks no lock. */
    public boolean isShut() {
        return state.shut;
    }

    /** How much could be taken now within both limits, were it contiguous. A hint. */
    public long roomBytes() {
        synchronized (state) {
            state.recoverIfNeededLocked();
            long memory = state.committedBytes + state.budget.committed.roomBytes();
            long addresses = state.reservedBytes + state.budget.reserved.roomBytes();
            return Math.min(memory, addresses) - Granules.bytes(state.taken);
        }
    }

    /** How many of so many bytes have contiguous addresses, or could have them. A hint. */
    public long contiguousBytes(long most) {
        synchronized (state) {
            state.recoverIfNeededLocked();
            long room = state.budget.reserved.roomBytes(); // and what can be reserved in its place
            long longest = 0;
            PageReservation[] reservations = state.reserved;
            for (int i = 0; i < reservations.length && Math.max(longest, room) < most; i++) {
                long free = Granules.bytes(reservations[i].longestFree());
                room += free == reservations[i].bytes() ? free : 0;
                longest = Math.max(longest, free);
            }
            return Math.min(Math.max(longest, room), most);
        }
    }

    /**
     * Has all who share the limits give back what is free, where there is less room than that;
     * returns whether there is so much now, as {@link #roomBytes} says.
     */
    public boolean makeRoom(long bytes) {
        boolean _ = bytes > roomBytes() && state.budget.committed.makeRoom(bytes);
        boolean _ = bytes > roomBytes() && state.budget.reserved.makeRoom(bytes);
        return bytes <= roomBytes();
    }

    /** Why a page is not taken: of the room that there is, so much must stay free. */
    public MemoryExhaustedException exhausted(long roomBytes, long keptBytes, long bytes) {
        return state.budget.scarcer().exhausted(roomBytes, keptBytes, bytes);
    }

    /** Tells of its granules: an area for each reservation. */
    public void map(MapSink sink) {
        synchronized (state) {
            state.recoverIfNeededLocked();
            for (PageReservation reservation : state.reserved) {
                reservation.map(sink);
            }
        }
    }

    /** Hands out nothing any more; who waits in the queue gets an IllegalStateException. */
    public void shut() {
        synchronized (state) {
            state.shut = true;
        }
        queue.wakeAll();
    }

    /**
     * Releases everything.
     *
     * @throws IllegalStateException if something is taken; or if the system refuses, and closing
     *     can be tried again
     */
    public void close() {
        close(0);
    }

    /**
     * Does so where errors lost some pages: nobody has them, and nobody can give them back.
     *
     * @param lostBytes the size of these pages, and of no others
     */
    public void close(long lostBytes) {
        shut();
        synchronized (allocator.reserving) {
            shut(); // what was being reserved is there now, or is not to come
        }
        int _ = users.keptByViews();
        state.abandoned = true; // what errors have left
        synchronized (state) {
            state.recoverIfNeededLocked();
            if (Granules.bytes(state.taken) > lostBytes) {
                throw new IllegalStateException(
                        "every page must be given before the space is closed: takenBytes="
                                + Granules.bytes(state.taken)
                                + ", lostBytes="
                                + lostBytes);
            }
            state.freeTakenLocked();
        }
        if (defragmenting != null) {
            defragmenting.cancel();
        }
        decaying.cancel();
        long _ = trim();
        synchronized (state) {
            state.recoverIfNeededLocked();
            state.checkReleasedLocked();
        }
    }
}
