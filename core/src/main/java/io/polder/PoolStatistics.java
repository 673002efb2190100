package io.polder;

import io.polder.heap.HeapStatistics;
import io.polder.leak.LeakDetector;
import io.polder.leak.LeakRecord;
import io.polder.leak.LeakWatch;
import io.polder.page.PageStatistics;

import java.util.List;

/**
 * What a {@link MemoryPool} is and holds. All sizes are in bytes. What is said of memory is of one
 * moment, and {@code used <= committed}. In the common pool all of it counts what the first arenas
 * of the process have from the JDK. The number of threads is of a moment later.
 *
 * @param name the name of the pool
 * @param pooled whether arenas use the pool's memory; if not, they are the JDK's
 * @param provider where memory comes from: {@code linux}, or {@code plain} elsewhere and where
 *     native access is denied
 * @param reason why that is so, in words
 * @param givesBack whether free memory is given back to the operating system by the page, as things
 *     are: not where the system refused that last, as in a sandbox, and free memory stays
 *     committed. Where memory is not from Linux, root chunks of 4 MiB that are free as a whole are
 *     released
 * @param slabBytes the size of a slab, with which confined arenas begin
 * @param slabsPerThread how many slabs a platform thread keeps at most
 * @param threads platform threads that keep slabs, some of which may just have ended
 * @param usage what it has of memory
 * @param usedBytes how much of what is committed arenas hold, and slabs that threads keep at hand
 * @param capacityBytes the size of the chunks and pages that they hold, committed or not
 * @param usedChunks how many chunks that are
 * @param free the free chunks by size, from 4 MiB down to 1 KiB
 * @param pages memory in units of 2 MiB, for allocations above 4 MiB; counted in all sums here
 * @param deferredGroups groups of arenas with deferred close that have open members or may get some
 * @param deferredRetainedBytes what arenas of those groups had that are closed themselves, and is
 *     given back with the group; at most 1 MiB a group
 * @param splits how often a chunk was halved
 * @param merges how often two halves became one again
 * @param enlargements how often a chunk was doubled in place
 * @param blocks the blocks that are allocated; their memory is counted as chunks and pages. Not of
 *     the same moment
 * @param heaps the heaps that are open; their memory is counted as pages. Not of the same moment
 * @param leaks arenas, pages and heaps that nobody closed. Not of the same moment
 */
public record PoolStatistics(
        String name,
        boolean pooled,
        String provider,
        String reason,
        boolean givesBack,
        long slabBytes,
        int slabsPerThread,
        int threads,
        PoolUsage usage,
        long usedBytes,
        long capacityBytes,
        int usedChunks,
        List<FreeChunks> free,
        PageStatistics pages,
        int deferredGroups,
        long deferredRetainedBytes,
        long splits,
        long merges,
        long enlargements,
        Blocks blocks,
        List<Heap> heaps,
        Leaks leaks) {

    /** In place of a limit, as JMX says it. */
    static final long NO_LIMIT = -1;

    /** Makes the lists unmodifiable. */
    public PoolStatistics {
        free = List.copyOf(free);
        heaps = List.copyOf(heaps);
    }

    /**
     * Blocks: what any thread allocates and any thread frees.
     *
     * @param checked whether misuse is looked for, see {@link MemoryPool.Builder#checkBlocks}; what
     *     waits to be used again is free then
     * @param usedCount blocks that are allocated. Those that a thread freed for another one count
     *     until that has taken note, at the latest a decay later
     * @param usedBytes what those may use; where blocks are checked, with what is behind their ends
     * @param committedBytes the memory behind all blocks, used or free
     * @param emptyBytes the memory of spans in which nothing is used, kept until the decay
     * @param leftAtClose how many blocks were used when the pool was closed; 0 before
     * @param sizes by size, for each that has memory
     */
    public record Blocks(
            boolean checked,
            long usedCount,
            long usedBytes,
            long committedBytes,
            long emptyBytes,
            long leftAtClose,
            List<BlockSize> sizes) {
        /** None. */
        static final Blocks NONE = new Blocks(false, 0, 0, 0, 0, 0, List.of());

        /** Makes the list unmodifiable. */
        public Blocks {
            sizes = List.copyOf(sizes);
        }
    }

    /**
     * The blocks of one size.
     *
     * @param blockBytes the size of each
     * @param usedCount how many are allocated
     * @param freeCount how many are free, and were allocated or are next to one that was
     * @param committedBytes the memory behind them
     */
    public record BlockSize(long blockBytes, long usedCount, long freeCount, long committedBytes) {}

    /**
     * A heap that is open.
     *
     * @param number the first heap that the pool opened is 1, the next one 2
     * @param statistics what it holds and has done
     */
    public record Heap(int number, HeapStatistics statistics) {}

    /**
     * Arenas, pages and heaps that became unreachable without having been closed, as far as the
     * pool looks for them, and blocks that were not freed when it was closed: those that one stack
     * allocated are one leak. Their memory stays theirs.
     *
     * @param detection how closely it looks
     * @param arenasOneIn of so many arenas and blocks about one is watched at present; 0 if none
     * @param watched what is open and watched now, without blocks
     * @param leaked leaks found so far
     * @param leakedBytes what those have
     * @param latest the last few of them, the latest at the end
     * @param sites the places that opened them, the one with the most leaks first; up to 100
     */
    public record Leaks(
            LeakDetection detection,
            int arenasOneIn,
            int watched,
            long leaked,
            long leakedBytes,
            List<Leak> latest,
            List<Leak> sites) {
        /** Makes the lists unmodifiable. */
        public Leaks {
            latest = List.copyOf(latest);
            sites = List.copyOf(sites);
        }

        static Leaks of(LeakWatch watch) {
            LeakDetection detection = LeakDetection.of(watch);
            LeakDetector found = watch.detector();
            if (found == null) {
                return new Leaks(detection, 0, 0, 0, 0, List.of(), List.of());
            }
            return new Leaks(
                    detection,
                    detection == LeakDetection.OFF ? 0 : found.oneIn(),
                    found.tracked(),
                    found.leaked(),
                    found.leakedBytes(),
                    found.latest().stream().map(Leak::of).toList(),
                    found.sites().stream().map(Leak::of).toList());
        }
    }

    /**
     * A leak, or all leaks of one place.
     *
     * @param kind what it is, in words
     * @param count of one leak, how many blocks these are, and 1 of other kinds; of a place, how
     *     often it leaked
     * @param bytes the memory that it has
     * @param thread the name of the thread that opened it, or the last of them
     * @param openedAt the stack that did, innermost frame first, without those of the pool
     */
    public record Leak(String kind, long count, long bytes, String thread, List<String> openedAt) {
        /** Makes the list unmodifiable. */
        public Leak {
            openedAt = List.copyOf(openedAt);
        }

        private static Leak of(LeakRecord found) {
            return new Leak(
                    found.kind().toString(),
                    found.count(),
                    found.bytes(),
                    found.thread(),
                    found.openedAt());
        }
    }

    /**
     * The free chunks of one size.
     *
     * @param chunkBytes the size of each
     * @param count how many
     * @param committedBytes how much of them has memory behind it
     */
    public record FreeChunks(long chunkBytes, int count, long committedBytes) {}

    /** How much is free and has memory behind it, waiting for an arena or the decay. */
    public long freeCommittedBytes() {
        return freeChunksCommittedBytes() + pages.freeCommittedBytes();
    }

    /** How much of that is in chunks. */
    public long freeChunksCommittedBytes() {
        return free.stream().mapToLong(FreeChunks::committedBytes).sum();
    }
}
