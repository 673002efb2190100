package io.polder;

import io.polder.arena.ArenaFactory;
import io.polder.arena.ChunkSource;
import io.polder.background.Background;
import io.polder.background.Task;
import io.polder.block.Blocks;
import io.polder.block.Lost;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkSpace;
import io.polder.event.EventHold;
import io.polder.event.Printable;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.space.HeapSettings;
import io.polder.heap.space.HeapSpace;
import io.polder.leak.Kind;
import io.polder.leak.LeakDetector;
import io.polder.leak.Sampler;
import io.polder.memory.DeepStackRunner;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.ProcessFence;
import io.polder.memory.ProviderChoice;
import io.polder.page.PageCache;
import io.polder.page.PageStatistics;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.util.List;

/**
 * The rooms behind one pool, put together.
 *
 * <pre>{@code
 *   MemoryPool --> PoolMemory --> ArenaFactory --> ChunkSource --> ChunkSpace --+--> MemoryProvider
 *                      |                                   \---> PageSpace ---+
 *                      |                                             ^        +--> MemoryBudget
 *                      +---------------------------------------------+   trim, statistics
 *                      |                                             |
 *                      +--> Task --> Background thread --- tick -----+   decay of the chunks
 *                      |
 *                      +--> Task --> a thread of its own ---> closes deferred arenas
 * }</pre>
 *
 * <p>Chunks and pages draw on one {@link MemoryBudget}: what one has free makes room for the other.
 * Before an arena, a page or a heap is refused memory, deferred arenas that wait for it are closed.
 *
 * <p>Where pooling is off there is nothing behind it, and arenas are the JDK's.
 *
 * <p>States: <i>open</i>; <i>closed</i>, hands out nothing and waits for what is out;
 * <i>released</i>, has no memory any more.
 *
 * <p>A tick comes a decay period after memory became free, and again as long as it finds something
 * to do: chunks that are free and committed, a closed pool to release. A pool at rest has none. In
 * a closed pool, which keeps nothing ready for others, it comes a second later at most.
 * Pages have a task of their own.
 *
 * <p>The real close of deferred arenas runs cleanup actions of the program, which may wait. So it
 * has a thread of its own in each pool: one that waits holds up the other closes of its pool, as
 * far as those who close arenas do not come to help, and nothing else. A closed pool is released by
 * the tick that finds all memory given back, and so after the last of these closes.
 *
 * <p>Thread-safe: what is behind it is; {@link #closed} only ever becomes true.
 */
final class PoolMemory {
    /** Looking costs a wake-up: guessed, next to a decay of a second. */
    private static final long LOOK_NANOS = 1_000_000_000;

    /** After which a thread of a closed pool finds that it can end. Guessed. */
    private static final long SOON_NANOS = 1_000_000;

    final ProviderChoice choice;
    final PoolSettings settings;
    final ChunkSpace chunks;
    final PageSpace pages;
    final OpenHeaps heaps;
    final PoolBlocks blocks;
    final PoolExhaustion exhaustion = new PoolExhaustion(this);
    final Shrinkers shrinkers =
            new Shrinkers(new Background("polder-asking", PoolBackground.TELLING));
    final LeakDetector leaks;
    final Task task;
    final Background forClosing;
    final Task closing;

    /** Looks for threads that have ended; never woken if arenas are the JDK's. */
    final Task threadsEnding;

    volatile @Nullable ArenaFactory arenas;

    /** Its number among the pools of its name, as they were opened; 1 for the first. */
    volatile int number = 1;

    /** Who users call; null until it is made. */
    volatile @Nullable MemoryPool pool;

    /** What was opened before there was a pool; null if this is not the common one. */
    final @Nullable BootstrapArenas beginning;

    volatile boolean closed;
    private volatile boolean released;

    /** The common pool if it counts arenas which were opened before there was a pool. */
    PoolMemory(
            ProviderChoice choice,
            PoolSettings settings,
            Background background,
            Background forClosing,
            @Nullable BootstrapArenas beginning) {
        MemoryBudget budget = new MemoryBudget(settings.limits(), Printable.of(settings.name()));
        long decayNanos = settings.decay().toNanos();
        this.choice = choice;
        this.settings = settings;
        this.beginning = beginning;
        choice.provider().serves(budget);
        choice.provider().onRefusedUncommit(UncommitRefusalLog.INSTANCE);
        this.chunks = new ChunkSpace(choice.provider(), budget);
        this.leaks = new LeakDetector(settings.name(), PoolBackground.TELLING);
        boolean _ = detect(settings.leaks());
        this.pages =
                new PageSpace(
                        choice.provider(),
                        budget,
                        background,
                        new PageSettings(decayNanos, true, settings.hugePages()),
                        exhaustion,
                        leaks);
        this.heaps = new OpenHeaps(leaks);
        this.blocks = new PoolBlocks(this);
        this.task = background.task(this::tick, decayNanos);
        this.forClosing = forClosing;
        this.closing = forClosing.task(() -> arenas != null && arenas.tick(), decayNanos);
        ArenaFactory made =
                choice.nativeAccess() && settings.slabs().enabled() ? makeArenas(this) : null;
        this.arenas = made;
        this.threadsEnding = // keeps no pool: while threads live, it has steps
                background.task(
                        made == null ? () -> false : made.endedThreads(),
                        Math.max(decayNanos, LOOK_NANOS));
    }

    private static ArenaFactory makeArenas(PoolMemory pool) {
        PoolSettings settings = pool.settings;
        ArenaFactory made =
                ArenaFactory.create(
                        new ChunkSource(
                                pool.chunks,
                                pool.pages,
                                settings.slabs().bytes(),
                                settings.clearAtClose(),
                                pool.exhaustion),
                        settings.slabs().count(),
                        pool.closing::wake,
                        Runtime.getRuntime().availableProcessors(),
                        pool.leaks.sampler());
        return pool.isCommon() ? made : made.revokedBy(ProcessFence.ofThisProcess());
    }

    /** Whether it is the process's, which is never closed, and whose arenas others open. */
    boolean isCommon() {
        return beginning != null;
    }

    /**
     * Looks for leaks of what is opened from now on, as closely as is said. The common pool's lock
     * is taken with this one held.
     */
    synchronized void watch(LeakDetection wanted) {
        boolean _ = DeepStackRunner.call(() -> detect(wanted));
        ArenaFactory known = arenas;
        if (known != null) {
            ArenaFactory changed = known.trackedBy(leaks.sampler());
            arenas = changed;
            CommonPool.changed(this, changed);
        }
    }

    /** With ample stack; returns whether it looks for any. */
    private boolean detect(LeakDetection wanted) {
        if (wanted != LeakDetection.OFF) {
            ClassPreloader.ofTraces();
        }
        leaks.set(wanted != LeakDetection.OFF, wanted == LeakDetection.ALL);
        return leaks.isOn();
    }

    String name() {
        return settings.name();
    }

    /**
     * Reserves what a first arena needs, and so links system calls, if neither was done.
     *
     * @throws MemoryExhaustedException if that is refused, which the thread that needs the memory
     *     is told again
     */
    void prepare() {
        if (arenas != null) {
            int level = ChunkLevel.fitting(settings.slabs().bytes());
            chunks.give(chunks.take(level, level), 0);
        }
    }

    Arena openConfined() {
        checkOpen();
        ArenaFactory known = arenas;
        return known == null ? Arena.ofConfined() : known.openConfinedUnlessClosed();
    }

    Arena openShared() {
        checkOpen();
        ArenaFactory known = arenas;
        return known == null ? Arena.ofShared() : known.openShared();
    }

    Arena openSharedDeferred() {
        checkOpen();
        ArenaFactory known = arenas;
        return known == null ? Arena.ofShared() : known.openDeferred(); // the JDK's: closes at once
    }

    FreeingArena openFreeing() {
        checkOpen();
        Blocks from = choice.nativeAccess() ? blocks.get().blocks : null;
        Sampler sampler = leaks.sampler();
        return new FreeingArena(from, sampler == null ? null : sampler.track(Kind.FREEING_ARENA));
    }

    /** Pages for users. */
    PageCache pages() {
        checkNativeAccess("pages need");
        return pages;
    }

    /**
     * A heap on pages of this pool.
     *
     * @param options null for those of a class that may not be initialised yet
     */
    RelocatingHeap openHeap(@Nullable HeapOptions options) {
        checkOpen();
        checkNativeAccess("a heap needs");
        return heaps.open(DeepStackRunner.call(() -> createHeap(options)));
    }

    private HeapSpace createHeap(@Nullable HeapOptions options) {
        ClassPreloader.ofHeaps();
        int number = heaps.nextNumber();
        HeapSettings heap =
                HeapSettings.of(options == null ? HeapOptions.DEFAULT : options)
                        .withReserve(!settings.limits().isNone())
                        .withNumber(number)
                        .withThreads(PoolBackground.OfHeaps.THREADS);
        return new HeapSpace(pages, heap, exhaustion);
    }

    void checkNativeAccess(String who) {
        if (!choice.nativeAccess()) {
            throw new UnsupportedOperationException(
                    who
                            + " native access for module io.polder"
                            + " (--enable-native-access): pool="
                            + settings.name()
                            + ", reason="
                            + choice.reason());
        }
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the pool is closed: name=" + settings.name());
        }
    }

    String report() {
        List<String> ofShrinkers = // here: the caller may have locks they need
                DeepStackRunner.isAmple()
                        ? shrinkers.lines()
                        : List.of("there is too little stack to ask those who could free some");
        return DeepStackRunner.call( // it uses streams, and a formatter
                () ->
                        new PoolReport(PoolFigures.of(this))
                                .write(
                                        pages.largestRunBytes(),
                                        number,
                                        blocks.used(),
                                        blocks.areWatched(),
                                        ofShrinkers));
    }

    PoolMap map() {
        PoolMapBuilder map = new PoolMapBuilder();
        chunks.map(map);
        pages.map(map);
        BlockAllocator ofBlocks = blocks.made;
        if (ofBlocks != null) {
            ofBlocks.space.map(map);
        }
        return map.build();
    }

    long trim() {
        PoolBackground.tell();
        if (arenas != null) {
            arenas.trim();
        }
        long before = chunks.uncommittedTotalBytes();
        long _ = blocks.trim();
        long pageBytes = uncommitFree();
        return chunks.uncommittedTotalBytes() - before + pageBytes;
    }

    /** Uncommits what is free; returns how much of that was pages. */
    private long uncommitFree() {
        roomCame(chunks.trim());
        releaseWhereScarce();
        return pages.trim();
    }

    /** Where address space is limited, others in the process may need what is free of it. */
    private void releaseWhereScarce() {
        if (choice.provider().reservableAheadBytes() < Long.MAX_VALUE) {
            chunks.releaseFree(Long.MAX_VALUE);
        }
    }

    /** Threads that wait in the queue for pages may have what chunks gave back. */
    private void roomCame(long bytes) {
        if (bytes > 0) {
            pages.roomCame();
        }
    }

    void close() {
        closed = true;
        task.hasten(LOOK_NANOS); // what comes back from now on serves nobody, until it decays
        closing.hasten(LOOK_NANOS);
        threadsEnding.hasten(LOOK_NANOS);
        if (arenas != null) {
            arenas.close();
            if (arenas.tick() || arenas.deferredGroups() > 0) {
                closing.wake(); // for what a downcall holds
            } else {
                closing.hasten(SOON_NANOS); // it finds nothing
            }
            if (arenas.endedThreads().run()) {
                threadsEnding.wake();
            }
        }
        blocks.close();
        pages.shut();
        if (tick()) {
            task.wake();
        }
        forClosing.expectNothing();
        shrinkers.background.expectNothing();
        OpenPools.INSTANCE.closed(this); // runs code of the program: all else is done
        PoolBackground.tell();
    }

    /** Does what is due in the background; returns whether something is left for the next tick. */
    private boolean tick() {
        boolean more = step();
        BlockAllocator ofBlocks = blocks.made;
        boolean rests = !more && !closed;
        OpenPools.INSTANCE.hold(this, rests && ofBlocks != null && ofBlocks.space.hasSpans());
        return more;
    }

    private boolean step() {
        BlockAllocator ofBlocks = blocks.made;
        if (closed) {
            if (arenas != null) {
                int _ = arenas.drainAll();
            }
            // First: then what was freed before, by a thread that does not tell of it, is seen.
            boolean untold = ofBlocks != null && ofBlocks.space.isAnybodyInside();
            long _ = blocks.trim();
            uncommitFree();
            return !release() && (untold || !isToBeToldOf());
        }
        boolean keeps = arenas != null && arenas.decay();
        keeps |= ofBlocks != null && ofBlocks.space.tick();
        roomCame(chunks.decay());
        if (keeps || chunks.hasWarmFree()) {
            return true;
        }
        releaseWhereScarce();
        return false;
    }

    /**
     * Whether what a closed pool waits for tells of itself: the thread that closes an arena, gives
     * a page or frees a block. A page that was given while somebody has a view of it does not.
     */
    private boolean isToBeToldOf() {
        PageStatistics ofPages = pages.statistics();
        return ofPages.keptByViews() == 0
                && (chunks.statistics().usedBytes() > 0 || ofPages.takenPages() > 0);
    }

    /** Releases the address space of a closed pool, if nobody has a part of it any more. */
    private boolean release() {
        try (EventHold _ = EventHold.begin()) {
            synchronized (this) {
                if (!released) {
                    // What errors lost counts as used, but nobody has it, to give it back.
                    BlockAllocator ofBlocks = blocks.made;
                    Lost lost = ofBlocks == null ? new Lost() : ofBlocks.space.lost();
                    chunks.close(lost.chunkBytes);
                    pages.close(lost.pageBytes);
                    released = true;
                }
                return true;
            }
        } catch (IllegalStateException notYet) {
            return false; // something is still out, or the system refused
        }
    }

    /** What of it has the memory at an address; null if nothing has. */
    @Nullable String whatIsAt(long address) {
        BlockAllocator ofBlocks = blocks.made;
        if (ofBlocks != null && ofBlocks.space.contains(address)) {
            return "blocks";
        }
        if (pages.contains(address)) {
            return "pages or heaps";
        }
        return chunks.contains(address) ? "arenas" : null;
    }
}
