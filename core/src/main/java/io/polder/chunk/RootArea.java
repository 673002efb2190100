package io.polder.chunk;

import io.polder.memory.MapSink;
import io.polder.memory.Zeroing;

/**
 * What is known about one root chunk: which of its chunks are free, which are taken, and where
 * there is memory. It lies outside the payload, so that all of the payload can be uncommitted.
 *
 * <pre>{@code
 *   node                1                     the root, 4 MiB
 *                   /       \
 *                 2           3               2 MiB each
 *               /   \       /   \
 *              4     5     6     7            buddies differ in the lowest bit:
 *             ...   ...   ...   ...           4 leads, 5 follows
 *
 *   node = (1 << level) + index               parent = node >> 1, buddy = node ^ 1
 * }</pre>
 *
 * <p><b>States of a node.</b> Exactly one of:
 *
 * <table>
 * <caption>States of a node</caption>
 * <tr><td>warm</td><td>free, with memory behind some of it; reads as zero but for dirty
 * pages</td></tr>
 * <tr><td>cold</td><td>free, without memory; reads as zero</td></tr>
 * <tr><td>used</td><td>taken by an owner, or isolated by the {@link Uncommitter}</td></tr>
 * <tr><td>none of them</td><td>split, or part of a larger chunk; or its reservation is being
 * released</td></tr>
 * </table>
 *
 * <p>A chunk smaller than an OS page is warm when its page is committed, no matter who committed
 * it.
 *
 * <p><b>Invariants</b> (checked by {@code RootCheck}):
 *
 * <ul>
 *   <li>free and used nodes tile the root exactly, unless its reservation is being released;
 *   <li>no free node has a free buddy;
 *   <li>{@code warm == free && any page of it is committed};
 *   <li>{@code unclaimed => committed and in a used node};
 *   <li>{@code idle => committed}, and while nothing is isolated {@code idle => in no used node};
 *   <li>{@code dirty => committed}, and no page is dirty that smaller chunks than itself lie in.
 * </ul>
 *
 * <p><b>What is true, and what follows.</b> The used nodes and the committed and dirty pages are
 * the truth. Everything else follows from them, since free memory divides into chunks in one way
 * only when no free chunk has a free buddy: {@link #rebuild} makes it anew. A method here that is
 * cut short may leave what follows wrong, and {@link SpaceState} knows it; it never leaves a used
 * node or a committed page half changed. A page is marked dirty before its chunk is free, and its
 * mark is removed when it reads as zero, and not before.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link SpaceState} it belongs to. No method makes
 * a system call.
 */
final class RootArea {
    /** The node of the whole root chunk. */
    static final int WHOLE = 1;

    /** One more than the greatest node. */
    static final int NODES = 2 << ChunkLevel.SMALLEST;

    /** How many of the smallest chunks make a root chunk. */
    static final int UNITS = 1 << ChunkLevel.SMALLEST;

    final long address;
    final int slot;
    final OsPages pages;

    final FreeNodes warm;
    final FreeNodes cold;
    final Bits used = new Bits(NODES);

    /** Pages that have memory behind them: touched, and not given back. The only truth about it. */
    final Bits committed;

    /**
     * Pages of used nodes that have memory which the owner has not asked for yet, or does without
     * by now. Nobody relies on it, so it can be uncommitted.
     */
    final Bits unclaimed;

    /**
     * Pages that may not read as zero, though free, or not asked for by their owner: what somebody
     * gave back uncleared. A mark belongs to a page and to no chunk, so chunks split and merge, and
     * what they inherit of each other follows by itself. Of a used chunk it says nothing where its
     * owner has memory already.
     */
    final Bits dirty;

    /**
     * Pages that were free and committed at the last tick of the decay, or at a trim whose call was
     * refused, and not taken since; or whose last owner had not used them since then.
     */
    final Bits idle;

    /**
     * A root chunk that is free as a whole, and in no list yet.
     *
     * @param address its first byte
     * @param slot its place in the {@link RootTable}
     * @param comesCommitted whether there is memory behind all of it already
     * @param state whose lists it is to be found in
     */
    RootArea(long address, int slot, boolean comesCommitted, SpaceState state) {
        this.address = address;
        this.slot = slot;
        this.pages = state.pages;
        this.warm = new FreeNodes(state.warm, slot);
        this.cold = new FreeNodes(state.cold, slot);
        this.committed = new Bits(pages.perRoot());
        this.idle = new Bits(pages.perRoot());
        this.unclaimed = new Bits(pages.perRoot());
        this.dirty = new Bits(pages.perRoot());
        if (comesCommitted) {
            committed.set(0, pages.perRoot());
        }
    }

    static int level(int node) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(node);
    }

    /** The first byte of a node, counted from the address of the root. */
    static long offset(int node) {
        int level = level(node);
        return (node - (1 << level)) * ChunkLevel.bytes(level);
    }

    /** The node of a chunk of this root. */
    int node(long chunk) {
        int level = Chunk.level(chunk);
        return (1 << level) + (int) ((Chunk.address(chunk) - address) / ChunkLevel.bytes(level));
    }

    /** The chunk of a node. */
    long chunk(int node) {
        return Chunk.of(address + offset(node), level(node));
    }

    boolean isFree(int node) {
        return warm.nodes.get(node) || cold.nodes.get(node);
    }

    /**
     * Makes a chunk of {@code level} out of the free chunk with the lowest address among those of
     * {@code from}, which there must be; splits it if it is larger.
     *
     * @return the node, which is neither free nor used; it is for {@link #used} to decide
     */
    int carve(FreeNodes kind, int from, int level) {
        int node = kind.next(1 << from);
        removeFree(node);
        for (int l = from; l < level; l++) {
            node = split(node);
        }
        if (level > pages.level()) {
            clean(firstPage(node));
        }
        idle.clear(firstPage(node), endPage(node));
        return node;
    }

    /**
     * Zeroes a page that nobody has, if it is dirty. The only place where memory is written to
     * under the lock: one page, before several owners may share it.
     */
    private void clean(int page) {
        if (dirty.get(page)) {
            Zeroing.zeroExactly(address + page * pages.bytes(), pages.bytes());
            dirty.clear(page);
        }
    }

    /** Halves a node that is in no list; one half becomes free, the other is returned. */
    private int split(int node) {
        int lower = 2 * node;
        int upper = lower + 1;
        int piece = hasMemory(lower) || !hasMemory(upper) ? lower : upper;
        putFree(piece ^ 1);
        return piece;
    }

    /**
     * Makes a node free, and merges it with its buddy as long as that is free too; it is no longer
     * a used node then if {@link #used} says so.
     */
    void free(int node) {
        if (level(node) <= pages.level()) {
            unclaimed.clear(firstPage(node), endPage(node));
        }
        int merged = node;
        while (merged != WHOLE && isFree(merged ^ 1)) {
            removeFree(merged ^ 1);
            merged >>= 1;
        }
        putFree(merged);
    }

    /** Whether a used node leads its buddy, and that is free as a whole. */
    boolean canEnlarge(int node) {
        boolean leads = (node & 1) == 0;
        return node != WHOLE && leads && isFree(node + 1);
    }

    /** Gives the free buddy of a used node to it; {@link #used} decides about their parent. */
    void join(int node) {
        removeFree(node + 1);
        idle.clear(firstPage(node + 1), endPage(node + 1));
    }

    /**
     * Isolates the free chunks that have whole pages with memory behind them; they count as used
     * from then on. What to uncommit of them is in the batch.
     *
     * @param onlyIdle leaves alone what was not idle, and marks it idle
     */
    void isolate(IsolatedChunks batch, boolean onlyIdle) {
        for (int level = 0; level <= pages.level(); level++) {
            if (warm.counts[level] == 0) {
                continue;
            }
            for (int node = warm.next(1 << level); node < 2 << level; node = warm.next(node + 1)) {
                if (collect(node, batch, onlyIdle)) {
                    batch.nodes[batch.nodeCount++] = node; // first: what it knows can be given back
                    removeFree(node);
                    used.set(node);
                }
            }
        }
    }

    /** Adds the pages of a free node that are to be uncommitted; returns whether there are any. */
    private boolean collect(int node, IsolatedChunks batch, boolean onlyIdle) {
        int from = firstPage(node);
        int end = endPage(node);
        boolean any = batch.addPages(onlyIdle ? idle : committed, from, end);
        idle.add(committed, from, end); // what is uncommitted is idle no more
        return any;
    }

    /**
     * Whether the root can be isolated as a whole.
     *
     * @param onlyIdle whether every page of it must be idle; if not all are, they are from now on
     */
    boolean canIsolateWhole(boolean onlyIdle) {
        if (!isFree(WHOLE)) {
            return false;
        }
        if (onlyIdle && idle.nextClear(0) < pages.perRoot()) {
            idle.add(committed, 0, pages.perRoot());
            return false;
        }
        return true;
    }

    /** Isolates the root as a whole, all of which is free: until it is listed it is in no list. */
    void isolateWhole() {
        removeFree(WHOLE);
        idle.clear(0, pages.perRoot());
    }

    /**
     * Says that pages of a used node are about to be committed, the first of which is this; {@link
     * #committed} decides. Chunks that share a page with it and are free have memory then.
     */
    void beforeCommit(int node, int page) {
        if (level(node) <= pages.level()) {
            return;
        }
        int pageNode = (1 << pages.level()) + page;
        for (int level = pages.level() + 1; level <= ChunkLevel.SMALLEST; level++) {
            int shift = level - pages.level();
            int end = (pageNode + 1) << shift;
            for (int free = cold.next(pageNode << shift); free < end; free = cold.next(free + 1)) {
                cold.remove(free);
                warm.add(free);
            }
        }
    }

    /**
     * Says that the owner of a node has not asked for what memory is behind it, from the first OS
     * page on that begins at an offset in it.
     */
    void unclaim(int node, long fromOffset) {
        if (level(node) <= pages.level()) { // otherwise its page may be others' as well
            unclaimed.add(committed, pages.from(offset(node) + fromOffset), endPage(node));
        }
    }

    /** The first page from one on, and before an end, that has no memory or is not claimed. */
    int nextUnclaimed(int from, int end, boolean claimsAll) {
        int memory = Math.min(committed.nextClear(from), end);
        return claimsAll ? memory : Math.min(memory, unclaimed.next(from));
    }

    /** Marks whole pages of a used node uncommitted; returns how many were committed. */
    int uncommit(int from, int to) {
        idle.clear(from, to);
        unclaimed.clear(from, to);
        dirty.clear(from, to); // first: what is dirty is committed
        int count = committed.count(from, to);
        committed.clear(from, to);
        return count;
    }

    /** How many bytes of a node have memory behind them. */
    long committedBytes(int node) {
        long bytes = committed.count(firstPage(node), endPage(node)) * pages.bytes();
        return Math.min(bytes, ChunkLevel.bytes(level(node)));
    }

    /** What is behind a node from its first page on, and is alike, as a word says it. */
    long memory(int node) {
        int from = firstPage(node);
        boolean marked = dirty.get(from);
        int memory = marked ? dirty.nextClear(from) : committed.nextClear(from);
        int end = marked ? memory : Math.min(memory, dirty.next(from));
        long bytes = Math.min((end - from) * pages.bytes(), ChunkLevel.bytes(level(node)));
        long units = bytes >>> Chunk.UNIT_SHIFT << Chunk.COMMITTED_SHIFT;
        return marked ? units | Chunk.DIRTY : units;
    }

    boolean hasMemory(int node) {
        return committed.any(firstPage(node), endPage(node));
    }

    int firstUnit(int node) {
        return (int) (offset(node) / ChunkLevel.SMALLEST_BYTES);
    }

    int endUnit(int node) {
        return firstUnit(node) + (1 << (ChunkLevel.SMALLEST - level(node)));
    }

    int firstPage(int node) {
        return pages.containing(offset(node));
    }

    int endPage(int node) {
        return pages.from(offset(node) + ChunkLevel.bytes(level(node)));
    }

    /** Lists a node that is free in the lists of its state. */
    void putFree(int node) {
        (hasMemory(node) ? warm : cold).add(node);
    }

    private void removeFree(int node) {
        (warm.nodes.get(node) ? warm : cold).remove(node);
    }

    /**
     * Makes everything anew that follows from the used nodes and committed pages, and lists what is
     * free. The lists of the state must have been cleared.
     *
     * @param occupied is overwritten: a bit for each of the smallest chunks, in a used node or not
     */
    void rebuild(Bits occupied) {
        occupied.clear();
        for (int node = used.next(0); node < NODES; node = used.next(node + 1)) {
            occupied.set(firstUnit(node), endUnit(node));
        }
        warm.clear();
        cold.clear();
        int from = occupied.nextClear(0);
        while (from < UNITS) {
            int end = Math.min(occupied.next(from), UNITS);
            putFree(from, end);
            from = occupied.nextClear(end);
        }
        for (int page = 0; page < pages.perRoot(); page++) {
            boolean hasMemory = committed.get(page);
            int node = (1 << pages.level()) + page;
            boolean free = !occupied.any(firstUnit(node), endUnit(node));
            if (!hasMemory || !free) {
                idle.clear(page);
            }
            if (!hasMemory || free) {
                unclaimed.clear(page);
            }
        }
    }

    /** Lists a free range as the largest chunks it divides into, which have no free buddies. */
    private void putFree(int from, int end) {
        int unit = from;
        while (unit < end) {
            int aligned = Integer.lowestOneBit(unit | UNITS);
            int units = Math.min(aligned, Integer.highestOneBit(end - unit));
            putFree((UNITS + unit) / units);
            unit += units;
        }
    }

    /** Capacity of the used nodes. */
    long usedBytes() {
        long bytes = 0;
        for (int node = used.next(0); node < NODES; node = used.next(node + 1)) {
            bytes += ChunkLevel.bytes(level(node));
        }
        return bytes;
    }

    /** Tells of the chunks of a node, in the order of their addresses; unknown where is none. */
    void map(int node, MapSink sink) {
        long bytes = ChunkLevel.bytes(level(node));
        if (used.get(node)) {
            sink.piece("USED", bytes, bytes);
        } else if (warm.nodes.get(node)) {
            sink.piece("FREE", bytes, 0);
        } else if (cold.nodes.get(node)) {
            sink.piece("COLD", bytes, 0);
        } else if (bytes == ChunkLevel.SMALLEST_BYTES) {
            sink.piece("UNKNOWN", bytes, 0);
        } else {
            map(2 * node, sink);
            map(2 * node + 1, sink);
        }
    }

    /** What a message says of it. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        map(WHOLE, (state, bytes, _) -> text.append(state).append(bytes).append(' '));
        return text.toString();
    }
}
