package io.polder.chunk;

import org.jspecify.annotations.Nullable;

/**
 * What the {@link Uncommitter} has isolated of one root chunk: the nodes, and the ranges of pages
 * in them that are to be uncommitted.
 *
 * <p><b>States.</b> Empty, without a root; isolating, with a root and under the lock; in flight,
 * while a thread makes the system call. One that has a root and is not in flight was cut short, and
 * goes back. A node is added before it is marked used: so what is marked used is known here.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState}; what it holds does not change
 * while it is in flight.
 */
final class IsolatedChunks {
    private final OsPages pages;
    final int[] nodes;
    final long[] addresses;
    final long[] sizes;
    private long rootAddress;
    int nodeCount;
    int rangeCount;

    /** Whose chunks are isolated; null if none are. */
    @Nullable RootArea root;

    /** Whether a thread is making the system call. */
    boolean inFlight;

    /** Whether the pages are in chunks that have owners, who must not touch them meanwhile. */
    boolean ofOwners;

    /** How many ranges are uncommitted. */
    int rangesDone;

    /** An empty batch; there can be no more ranges or nodes than pages in a root. */
    IsolatedChunks(OsPages pages) {
        this.pages = pages;
        this.nodes = new int[pages.perRoot()];
        this.addresses = new long[pages.perRoot()];
        this.sizes = new long[pages.perRoot()];
    }

    /** Forgets everything; what is added next belongs to this root. */
    void begin(RootArea isolated, boolean withOwners) {
        rootAddress = isolated.address;
        nodeCount = 0;
        rangeCount = 0;
        rangesDone = 0;
        inFlight = false;
        ofOwners = withOwners;
        root = isolated;
    }

    /** Adds the pages of {@code [from, end)} that are wanted; returns whether there are any. */
    boolean addPages(Bits wanted, int from, int end) {
        int before = rangeCount;
        int first = wanted.next(from);
        while (first < end) {
            int next = Math.min(wanted.nextClear(first), end);
            addresses[rangeCount] = rootAddress + first * pages.bytes();
            sizes[rangeCount] = (next - first) * pages.bytes();
            rangeCount++;
            first = wanted.next(next);
        }
        return rangeCount > before;
    }

    /** Whether any of the pages are in a chunk, which has pages of its own. */
    boolean hasPagesIn(long chunk) {
        for (int i = 0; i < rangeCount; i++) {
            long end = addresses[i] + sizes[i];
            if (addresses[i] < Chunk.address(chunk) + Chunk.bytes(chunk)
                    && end > Chunk.address(chunk)) {
                return true;
            }
        }
        return false;
    }

    /** Capacity of the nodes. */
    long nodeBytes() {
        long bytes = 0;
        for (int i = 0; i < nodeCount; i++) {
            bytes += ChunkLevel.bytes(RootArea.level(nodes[i]));
        }
        return bytes;
    }

    /**
     * Says to the root what is uncommitted; may be done again.
     *
     * @return how many of its pages had memory
     */
    int uncommit(RootArea of) {
        int count = 0;
        for (int i = 0; i < rangesDone; i++) {
            int first = pages.containing(addresses[i] - rootAddress);
            count += of.uncommit(first, first + pages.containing(sizes[i]));
        }
        return count;
    }
}
