package io.polder;

import io.polder.heap.HeapStatistics;
import io.polder.page.PageStatistics;

import java.util.List;

/**
 * What a {@link MemoryPool} is and holds. All sizes are in bytes. What is said of memory is of one
 * moment: {@code used <= committed <= reserved}, and these stay within the limits. In the common
 * pool all of it counts what the first arenas of the process have from the JDK.
 *
 * <p>Later versions may say more. MXBeans have the same, by the same names.
 */
public sealed interface PoolStatistics permits PoolFigures {
    /** The name of the pool. */
    String name();

    /** Where memory comes from: {@code linux}, or {@code plain} elsewhere or without access. */
    String provider();

    /** Why that is so, in words. */
    String reason();

    /**
     * Whether free memory is given back to the operating system by the page, as things are: not
     * where the system refused that last, as in a sandbox, and free memory stays committed. Where
     * memory is not from Linux, root chunks of 4 MiB that are free as a whole are released.
     */
    boolean givesBack();

    /** Address space. */
    long reservedBytes();

    /** The limit on it, which arenas, blocks, pages and heaps share; -1 if there is none. */
    long reservedMaxBytes();

    /** Memory touched, or about to be, and not given back. */
    long committedBytes();

    /** The limit on it, which arenas, blocks, pages and heaps share; -1 if there is none. */
    long committedMaxBytes();

    /** Memory committed so far. */
    long committedTotalBytes();

    /** Memory given back to the operating system so far. */
    long uncommittedTotalBytes();

    /** Calls that the operating system refused so far. */
    long refusals();

    /** How much of what is committed is used, or kept at hand by threads. */
    long usedBytes();

    /** The size of the chunks and pages that are used or kept at hand, committed or not. */
    long capacityBytes();

    /** Arenas, and the slabs with which confined ones begin. Not of the same moment. */
    Arenas arenas();

    /** How many chunks are used or kept at hand: memory of 1 KiB to 4 MiB. */
    int usedChunks();

    /** The free chunks by size, from 4 MiB down to 1 KiB. */
    List<PageStatistics.SizeClass> freeChunks();

    /** Memory in units of 2 MiB, for larger allocations; counted in all sums here. */
    PageStatistics pages();

    /** Blocks; their memory is counted as chunks and pages. Not of the same moment. */
    Blocks blocks();

    /** The heaps that are open; their memory is counted as pages. Not of the same moment. */
    List<HeapStatistics> heaps();

    /** What nobody closed or freed. Not of the same moment. */
    Leaks leaks();

    /** Arenas, and the slabs with which confined ones begin. */
    sealed interface Arenas permits PoolFigures.Arenas {
        /** Whether they use the pool's memory; if not, they are the JDK's. */
        boolean pooled();

        /** The size of a slab. */
        long slabBytes();

        /** How many slabs a platform thread keeps at most. */
        int slabsPerThread();

        /**
         * Threads that the pool knows: platform threads that opened confined arenas, and some
         * virtual ones that opened many. Some may just have ended.
         */
        int threads();

        /** Groups of arenas with deferred close that have open members or may get some. */
        int deferredGroups();

        /**
         * What arenas of those groups had that are closed themselves, and is given back with the
         * group; at most 1 MiB a group, and a sixteenth of the pool's limit.
         */
        long deferredRetainedBytes();
    }

    /** Blocks: what any thread allocates and any thread frees. */
    sealed interface Blocks permits PoolFigures.Blocks {
        /**
         * Whether misuse is looked for, see {@link MemoryPool.Builder#checkBlocks}; what waits to
         * be used again is free then.
         */
        boolean checked();

        /**
         * Blocks that are allocated and not freed, by whatever thread; as far as one can see while
         * others do so.
         */
        long usedCount();

        /** What those may use; where blocks are checked, with what is behind their ends. */
        long usedBytes();

        /**
         * The memory behind all blocks, used or free: that of all {@link #sizes}, and that of spans
         * in which nothing is used, which are kept until the decay.
         */
        long committedBytes();

        /** How many blocks were used when the pool was closed; 0 before. */
        long leftAtClose();

        /** By size, for each that has memory. */
        List<BlockSize> sizes();
    }

    /** The blocks of one size. */
    sealed interface BlockSize permits PoolFigures.BlockSize {
        /** The size of each. */
        long blockBytes();

        /** How many are allocated. */
        long usedCount();

        /** How many are free, and were allocated or are next to one that was. */
        long freeCount();

        /** The memory behind them. */
        long committedBytes();
    }

    /**
     * Arenas, pages and heaps that became unreachable without having been closed, as far as the
     * pool looks for them, and blocks that were not freed when it was closed: those that one stack
     * allocated are one leak. Their memory stays theirs.
     */
    sealed interface Leaks permits PoolFigures.Leaks {
        /** How closely the pool looks. */
        LeakDetection detection();

        /** Of so many arenas and blocks about one is watched at present; 0 if none. */
        int arenasOneIn();

        /** What is open and watched now, without blocks. */
        int watched();

        /** Leaks found so far. */
        long leaked();

        /** What those have. */
        long leakedBytes();

        /** The places that opened them, the one with the most leaks first; up to 100. */
        List<Leak> sites();
    }

    /** All leaks of one place. */
    sealed interface Leak permits PoolFigures.Leak {
        /** What it is, in words. */
        String kind();

        /** How often it leaked. */
        long count();

        /** The memory that these have. */
        long bytes();

        /** The name of the thread that opened the last of them. */
        String thread();

        /** The stack that did, innermost frame first, without those of the pool. */
        List<String> openedAt();
    }
}
