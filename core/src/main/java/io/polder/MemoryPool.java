package io.polder;

import io.polder.arena.SlabSettings;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.memory.DeepStackRunner;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.PageCache;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

/**
 * Native memory for arenas that open and close often.
 *
 * <p>{@link #ofConfined()} and {@link #ofShared()} stand in for {@link Arena#ofConfined()} and
 * {@link Arena#ofShared()}. The arenas they open keep the whole contract of the JDK's: memory reads
 * as zero, segments are aligned and never overlap, bounds, lifetime and thread are checked by the
 * JDK, with its exceptions. What differs is where the bytes come from: from a <em>slab</em> that
 * the thread keeps at hand, cleared when the arena closes, instead of {@code malloc} and {@code
 * free}.
 *
 * {@snippet class="PoolSnippets" region="greeting"}
 *
 * <h2>What is pooled</h2>
 *
 * <p>A confined arena begins in a slab: each platform thread keeps up to 8 of 16 KiB, virtual
 * threads exchange theirs, but for some that open many. What does not fit, shared arenas, and
 * whatever is opened while a thread has no slab left, comes from <em>chunks</em> of 1 KiB to 4 MiB
 * that split and merge, so that free memory fits the next request whatever its size. What is larger
 * is a <em>page</em>: a run of 2 MiB units, which is free again as a whole. That a thread has ended
 * is found some time later: then its slabs go back.
 *
 * <p>The first arenas that a process opens by {@link #ofConfined()} and {@link #ofShared()}, up to
 * 64, use memory of the JDK, so that a program that opens few need not wait for the common pool. A
 * thread of its own makes the pool when more are opened, or a second after the second one. It is
 * made at once if somebody calls {@link #common()}, sets one of the {@linkplain io.polder
 * properties} of arenas, or records with Flight Recorder. While those first arenas are open, {@link
 * #stats} counts their memory as reserved, committed and used; when they are closed it goes back to
 * the JDK, and {@link #trim} gives back nothing of it.
 *
 * <p>Free memory stays committed for a while, to be used again, and is then given back to the
 * operating system: after one to about three times the {@linkplain Builder#decay decay}, sooner
 * where a heap that rests gave it back, or at once with {@link #trim}.
 *
 * <p>Addresses are used again soon after an arena closed, and allocations of one arena lie next to
 * each other: native code that keeps a pointer too long, or writes past the end, harms the next
 * user sooner than with {@code malloc}. Memory is aligned to 16 bytes where no alignment is asked,
 * as by {@code malloc}, and to 8 bytes at least where one is; it cannot be passed to {@code free}.
 *
 * <p>In which order an arena runs cleanup actions the JDK does not say. Confined and shared arenas
 * run the last one first, as those of the JDK do once memory was allocated. Deferred ones run them
 * when their memory comes back, in any order among arenas.
 *
 * <p>What {@code malloc} would refuse for its size alone is refused here as well, with an {@link
 * OutOfMemoryError} that says so: under {@code vm.overcommit_memory=0} of Linux, a single
 * allocation, page or object of more than all memory and swap of the machine, as {@code
 * /proc/meminfo} has them. Limits of control groups do not count for that, as they do not for
 * {@code malloc}; with 1 every size is granted, and with 2 the kernel decides.
 *
 * <p>System properties and what pooling needs of the JVM are told in the {@linkplain io.polder
 * package}.
 *
 * <p>Thread-safe.
 */
public final class MemoryPool implements AutoCloseable {
    final PoolMemory memory;

    /** A pool on memory that nobody else has. */
    MemoryPool(PoolMemory memory) {
        this.memory = memory;
        memory.pool = this;
        OpenPools.INSTANCE.opened(memory);
    }

    /** The pool of this process, which {@link #ofConfined()} and {@link #ofShared()} use. */
    public static MemoryPool common() {
        return CommonPool.get();
    }

    /**
     * The pools of this process that are open, as they were opened: those that were built and
     * neither closed nor forgotten, and the {@linkplain #common common pool} once there is one.
     * This makes none.
     *
     * <p>The list keeps its pools reachable. A program that watches pools that come and go asks
     * again, and keeps none of them, or keeps them by weak references.
     *
     * @return a list that cannot be changed, of this moment
     */
    public static List<MemoryPool> openPools() {
        return OpenPools.INSTANCE.pools();
    }

    /**
     * Builds a pool of its own: with limits, or to see and free by itself what a part holds. It
     * keeps its address space until it is {@linkplain #close closed}.
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Opens a confined arena on the {@linkplain #common common pool}: only the thread that opened
     * it may use and close it. May be called on platform and on virtual threads.
     *
     * @return an arena with the contract of {@link Arena#ofConfined()}
     */
    public static Arena ofConfined() {
        try {
            return (Arena) CommonPool.Opening.SITE.getTarget().invokeExact();
        } catch (Throwable thrown) {
            return CommonPool.openInstead(thrown);
        }
    }

    /**
     * Opens a shared arena on the {@linkplain #common common pool}: any thread may use and close
     * it. Its close is the JDK's, which stops all threads for a moment.
     *
     * <p>A close that ends with an error, as a {@link StackOverflowError} when no stack is left for
     * it, has closed the arena, or has not: then it stays open until somebody closes it again.
     *
     * @return an arena with the contract of {@link Arena#ofShared()}
     */
    public static Arena ofShared() {
        Arena first = CommonPool.first().openShared();
        return first == null ? CommonPool.get().openShared() : first;
    }

    /**
     * Opens a confined arena on this pool, as {@link #ofConfined()} does on the common one.
     *
     * @throws IllegalStateException if the pool is closed
     */
    public Arena openConfined() {
        return memory.openConfined();
    }

    /**
     * Opens a shared arena on this pool, as {@link #ofShared()} does on the common one.
     *
     * @throws IllegalStateException if the pool is closed
     */
    public Arena openShared() {
        return memory.openShared();
    }

    /**
     * Opens a shared arena with deferred close on the {@linkplain #common common pool}, as {@link
     * #openSharedDeferred()} does on its own.
     *
     * @return an arena that any thread may use and close
     */
    public static Arena ofSharedDeferred() {
        return CommonPool.get().openSharedDeferred();
    }

    /**
     * Opens a shared arena with deferred close on this pool. Its close costs nanoseconds instead of
     * a handshake with all threads, for this price:
     *
     * <ul>
     *   <li>Arenas opened about the same time share one lifetime: {@link Arena#scope} and the
     *       segments stay alive, and accessible, until all of them are closed and the background
     *       has closed the lifetime, which takes up to twice the decay. A scope that is asked for
     *       only after the close has ended already. Cleanup actions run with the lifetime, in a
     *       thread of the pool or in one that wants memory, closes or trims. An action that blocks
     *       holds up the other closes of its pool, and their memory; so does a logger that blocks
     *       when it is told that an action threw.
     *   <li>A closed arena refuses to allocate at once. Its memory is used again only after the
     *       real close: no access ever reaches memory that belongs to somebody else.
     *   <li>An arena that is never closed keeps the memory of those it shares the lifetime with: at
     *       most 1 MiB, and a sixteenth of the pool's limit, see {@link
     *       PoolStatistics.Arenas#deferredRetainedBytes}. If an arena needs more than its group has
     *       left, the rest has a lifetime of its own. So the segments of one arena may have
     *       different scopes. So they may if {@link Arena#scope} is called, or an action
     *       registered, after the first allocation: of arenas that share a lifetime only one has
     *       its actions there, and what others have from then on has a lifetime of its own, so that
     *       actions of one arena run whatever those of another throw.
     *   <li>Close never fails because a downcall holds the arena: the real close waits for it.
     * </ul>
     *
     * @return an arena that any thread may use and close
     * @throws IllegalStateException if the pool is closed
     */
    public Arena openSharedDeferred() {
        return memory.openSharedDeferred();
    }

    /**
     * Opens an arena whose segments can be freed one by one, on this pool: only the running thread
     * may use and close it.
     *
     * @throws IllegalStateException if the pool is closed
     */
    public FreeingArena openFreeing() {
        return memory.openFreeing();
    }

    /**
     * The large memory of this pool, in pages of 2 MiB and more. Its limits hold for arenas and
     * pages together.
     *
     * @return the same cache each time
     * @throws UnsupportedOperationException if native access is denied to module {@code io.polder}
     */
    public PageCache pages() {
        return memory.pages();
    }

    /**
     * The blocks of this pool: memory that any thread allocates and any thread frees, as with
     * {@code malloc}. The limits of the pool hold for arenas, pages and blocks together.
     *
     * @return the same allocator each time
     * @throws UnsupportedOperationException if native access is denied to module {@code io.polder}
     * @throws IllegalStateException if the pool is closed and never had one
     */
    public BlockAllocator blocks() {
        return memory.blocks.get();
    }

    /**
     * Opens a heap whose objects are compacted while they are used, with memory of this pool, as
     * {@link HeapOptions#DEFAULT} says.
     *
     * @throws UnsupportedOperationException if native access is denied to module {@code io.polder}
     * @throws IllegalStateException if the pool is closed
     */
    public RelocatingHeap openHeap() {
        return memory.openHeap(null);
    }

    /**
     * Opens a heap whose objects are compacted while they are used, with memory of this pool.
     *
     * @throws UnsupportedOperationException if native access is denied to module {@code io.polder}
     * @throws IllegalStateException if the pool is closed
     */
    public RelocatingHeap openHeap(HeapOptions options) {
        return memory.openHeap(Objects.requireNonNull(options, "options"));
    }

    /** The name of the pool; {@code pool} if it was built without one. */
    public String name() {
        return memory.name();
    }

    /** Whether it was closed: then it hands out nothing any more. */
    public boolean isClosed() {
        return memory.closed;
    }

    /**
     * The number of the pool among those of its name: 1, and for a pool that is opened while others
     * of its name are open, one more than the highest of them. The {@linkplain MemoryPoolMXBean
     * MXBean} has the same number. Where another copy of Polder in the process has used it there,
     * it rises once, about a second after the pool was opened.
     */
    public int number() {
        return memory.number;
    }

    /** Names the pool: {@code MemoryPool[name=common]}. */
    @Override
    public String toString() {
        return "MemoryPool[name=" + name() + "]";
    }

    /** What the pool is and holds now. */
    public PoolStatistics stats() {
        return DeepStackRunner.call(() -> PoolFigures.of(memory)); // it uses streams
    }

    /** What {@link #stats} says as text, in the layout of {@code jcmd VM.metaspace}; for people. */
    public String report() {
        return memory.report();
    }

    /** The pool's memory, piece by piece: its chunks, its pages, and the spans of its blocks. */
    public PoolMap map() {
        return DeepStackRunner.call(memory::map); // it compares records
    }

    /**
     * Gives all free memory back to the operating system at once, instead of after the decay, and
     * the slabs that the running thread and ended threads keep, and those that virtual threads
     * exchange. Before that, it closes for good the deferred arenas that wait for it, and runs
     * their cleanup actions. What other living threads keep at hand stays with them, virtual ones
     * that have opened many arenas included; what the background is giving back at that moment is
     * waited for.
     *
     * @return how many bytes were given back
     */
    public long trim() {
        return memory.trim();
    }

    /**
     * Adds a function that can free memory of this pool, as a cache can. It is asked
     * before an allocation, of a page, a block, an object or in an arena, is refused because of a
     * limit of the pool or by the system, with no lock held: by the thread that allocates, or by
     * another one for threads that wait in the queue for pages. It is also asked where Linux says
     * that the machine, or the control group of the process, is short of memory; Polder looks once
     * a second.
     *
     * <p>The shrinker is given how many bytes are wanted, 1 or more, and returns how many it freed,
     * 0 if none. It may be called by several threads at once. If it allocates itself, it may be
     * refused. What it throws, the allocation throws. The pool keeps it reachable until it is
     * removed; nothing keeps the pool for its sake.
     *
     * @param line says what it holds, for a line in {@link #report}; called with no lock held, by
     *     any thread that wants a report. If it throws an exception, the report says so
     * @return what removes it, once, by any thread; a closed pool asks nobody any more
     */
    public Runnable addShrinker(LongUnaryOperator shrinker, Supplier<String> line) {
        return memory.shrinkers.add(
                Objects.requireNonNull(shrinker, "shrinker"), Objects.requireNonNull(line, "line"));
    }

    /**
     * Closes the pool: it opens no more arenas. Free memory is given back at once. Open arenas and
     * their segments stay valid; the memory they hold is given back after they are closed, within a
     * second or two whatever the decay. One that needs more than it holds gets an {@link
     * IllegalStateException}. Closing again does nothing.
     *
     * <p>What other threads keep at hand at that moment is taken from them.
     *
     * @throws UnsupportedOperationException if this is the common pool
     */
    @Override
    public void close() {
        if (memory.isCommon()) {
            throw new UnsupportedOperationException("the common pool cannot be closed");
        }
        memory.close();
    }

    /** Builds pools. Not thread-safe; may be used again. */
    public static final class Builder {
        private String name = "pool";
        private long committedMaxBytes = MemoryLimits.NONE.committedMaxBytes();
        private long reservedMaxBytes = MemoryLimits.NONE.reservedMaxBytes();
        private Duration decay = PoolSettings.DECAY_DEFAULT;
        private boolean logExhaustion;
        private boolean hugePages;
        private @Nullable SlabSettings slabs;
        private @Nullable LeakDetection leaks;
        private @Nullable Boolean checkBlocks;
        private @Nullable Boolean clearAtClose;

        private Builder() {}

        /** Sets how messages and reports call the pool; {@code pool} if not set. */
        public Builder name(String name) {
            this.name = Objects.requireNonNull(name, "name");
            return this;
        }

        /**
         * Limits the memory of the pool; no limit if not set. An allocation that would exceed it,
         * by an arena, of a page or in a heap, fails with an {@link OutOfMemoryError} after all
         * free memory was given back, and deferred arenas that waited for it were closed for good;
         * the allocating thread runs their cleanup actions then, or waits, a second at most for
         * each, if another one does. One above 4 MiB counts in units of 2 MiB. Threads that
         * would rather wait for memory than fail allocate {@linkplain PageCache#allocate(long,
         * Duration) pages}.
         *
         * <p>What living threads keep at hand is at most an eighth of the smaller limit, and is
         * taken from them when it is needed. So only so many threads keep slabs, those that came
         * first; the others exchange theirs, as most virtual threads do.
         *
         * @param bytes from 4 MiB to the address space, 128 TiB
         */
        public Builder committedMaxBytes(long bytes) {
            this.committedMaxBytes = bytes;
            return this;
        }

        /**
         * Limits the address space of the pool; no limit if not set. Address space is reserved in
         * units of 2 and 4 MiB, or of a 1024th of the limit where that is more. Threads keep as
         * little at hand as with {@link #committedMaxBytes}.
         *
         * @param bytes from 4 MiB to the address space, 128 TiB
         */
        public Builder reservedMaxBytes(long bytes) {
            this.reservedMaxBytes = bytes;
            return this;
        }

        /**
         * Sets how long free memory stays committed: at least this long, and up to about three
         * times as long; 1 s if not set. As much as a heap has given back goes sooner, once it took
         * no memory for new objects for a third of that.
         *
         * @param decay from 1 ms to a day
         */
        public Builder decay(Duration decay) {
            this.decay = Objects.requireNonNull(decay, "decay");
            return this;
        }

        /**
         * Sets whether an allocation that fails because of a limit, or because the system refuses
         * memory, is logged by the logger {@code io.polder}, with the map of that moment; not if
         * not set. The logger runs in the thread that allocates, before that gets its error. At
         * most once in a minute, and what is left out is counted in the next message.
         */
        public Builder logExhaustion(boolean logExhaustion) {
            this.logExhaustion = logExhaustion;
            return this;
        }

        /**
         * Sets what platform threads keep at hand for their confined arenas; as system properties
         * {@code polder.confined.slab.size} and {@code polder.confined.slab.count} say if not set.
         * With 0 for either nothing is kept, and arenas of the pool are the JDK's.
         *
         * @param bytes the size of a slab: 0, or a power of two from 2 KiB to 1 MiB
         * @param count how many of them each thread keeps: 0, or a power of two up to 64
         * @throws IllegalArgumentException if one of them is something else
         */
        public Builder slabs(long bytes, int count) {
            this.slabs = new SlabSettings(bytes, count);
            return this;
        }

        /**
         * Sets how closely the pool looks for arenas, pages and heaps that nobody closed, and for
         * blocks that nobody freed before the pool was closed; as system property {@code
         * polder.leaks} says if not set.
         */
        public Builder leaks(LeakDetection leaks) {
            this.leaks = Objects.requireNonNull(leaks, "leaks");
            return this;
        }

        /**
         * Sets whether the pool looks for misuse of its {@linkplain MemoryPool#blocks blocks}, as
         * {@link BlockAllocator} says; as system property {@code polder.blocks.check} says if not
         * set. For tests and for finding errors: an allocation and a free take a microsecond or
         * more, and what is freed stays in memory for a while.
         */
        public Builder checkBlocks(boolean checkBlocks) {
            this.checkBlocks = checkBlocks;
            return this;
        }

        /**
         * Sets when what an arena wrote is cleared: when it is closed, for programs that want
         * nothing of it to stay in memory, or when somebody else gets that memory, which costs
         * less; as system property {@code polder.clear} says if not set. Nobody reads what an arena
         * left, in either case. A deferred arena is closed when its group is; blocks, pages and
         * heaps are no arenas, nor is what the JDK allocates where the system refuses memory.
         */
        public Builder clearAtClose(boolean clearAtClose) {
            this.clearAtClose = clearAtClose;
            return this;
        }

        /**
         * Sets whether the operating system is asked for huge pages behind {@linkplain
         * MemoryPool#pages pages}: fewer page faults, and memory that comes and goes in steps of 2
         * MiB. If not set, it does as it is configured; but heaps of 32 MiB and more ask for them.
         */
        public Builder hugePages(boolean hugePages) {
            this.hugePages = hugePages;
            return this;
        }

        /**
         * Builds a pool.
         *
         * @throws IllegalArgumentException if a limit is smaller than 4 MiB or larger than the
         *     address space, the decay out of its range, or the name blank
         */
        public MemoryPool build() {
            PoolSettings process = CommonPool.defaults();
            PoolSettings settings =
                    new PoolSettings(
                            name,
                            new MemoryLimits(committedMaxBytes, reservedMaxBytes),
                            decay,
                            logExhaustion,
                            hugePages,
                            slabs == null ? process.slabs() : slabs,
                            leaks == null ? process.leaks() : leaks,
                            checkBlocks == null ? process.checkBlocks() : checkBlocks,
                            clearAtClose == null ? process.clearAtClose() : clearAtClose);
            return CommonPool.create(Providers.choose(), settings, null);
        }
    }
}
