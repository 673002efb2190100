package io.polder.chunk;

/** Checks the invariants of one {@link RootArea}, as they stand there. */
final class RootCheck {
    private final RootArea root;
    private final Bits occupied;
    private int leaves;
    private long usedBytes;

    private RootCheck(RootArea root) {
        this.root = root;
        this.occupied = occupied(root);
    }

    /**
     * Checks a root.
     *
     * @param atRest whether nothing is isolated
     * @return the capacity of its used chunks
     */
    static long verify(RootArea root, boolean atRest) {
        RootCheck check = new RootCheck(root);
        check.all(atRest);
        return check.usedBytes;
    }

    private void all(boolean atRest) {
        verify(root.warm);
        verify(root.cold);
        visit(RootArea.WHOLE);
        int bits = root.used.count();
        for (int level = 0; level < ChunkLevel.COUNT; level++) {
            bits += root.warm.counts[level] + root.cold.counts[level];
        }
        require(leaves == bits, "free and used nodes tile the root", RootArea.WHOLE);
        checkIdle(atRest);
        for (int page = root.unclaimed.next(0);
                page < root.unclaimed.size;
                page = root.unclaimed.next(page + 1)) {
            require(
                    root.committed.get(page) && !isFreePage(occupied, root, page),
                    "an unclaimed page is committed and used",
                    page);
        }
        for (int page = root.dirty.next(0);
                page < root.dirty.size;
                page = root.dirty.next(page + 1)) {
            require(root.committed.get(page), "a dirty page is committed", page);
        }
    }

    /** A bit for each of the smallest chunks: whether it is in a used node. */
    static Bits occupied(RootArea root) {
        Bits occupied = new Bits(RootArea.UNITS);
        for (int node = root.used.next(0); node < RootArea.NODES; node = root.used.next(node + 1)) {
            occupied.set(root.firstUnit(node), root.endUnit(node));
        }
        return occupied;
    }

    /** Whether no part of a page is in a used node. */
    static boolean isFreePage(Bits occupied, RootArea root, int page) {
        int node = (1 << root.pages.level()) + page;
        return !occupied.any(root.firstUnit(node), root.endUnit(node));
    }

    /** How large the bits and counts of a root are in bytes, without the headers of objects. */
    static long sizeBytes(RootArea root) {
        Bits[] all = {
            root.warm.nodes,
            root.cold.nodes,
            root.used,
            root.committed,
            root.idle,
            root.unclaimed,
            root.dirty
        };
        long bits = 0;
        for (Bits each : all) {
            bits += each.size;
        }
        return bits / Byte.SIZE + 2L * ChunkLevel.COUNT * Short.BYTES;
    }

    private static void verify(FreeNodes free) {
        for (int level = 0; level < free.counts.length; level++) {
            int set = free.nodes.count(1 << level, 2 << level);
            boolean listed = free.roots.slotsByLevel[level].get(free.slot);
            if (free.counts[level] != set || listed != set > 0) {
                throw new AssertionError(
                        "count == bits set, root listed iff count > 0: level="
                                + level
                                + ", count="
                                + free.counts[level]
                                + ", set="
                                + set
                                + ", slot="
                                + free.slot
                                + ", listed="
                                + listed);
            }
        }
    }

    private void visit(int node) {
        int states = 0;
        states += root.warm.nodes.get(node) ? 1 : 0;
        states += root.cold.nodes.get(node) ? 1 : 0;
        states += root.used.get(node) ? 1 : 0;
        if (states == 0) {
            require(
                    RootArea.level(node) < ChunkLevel.SMALLEST,
                    "free and used nodes tile the root",
                    node);
            visit(2 * node);
            visit(2 * node + 1);
            return;
        }
        require(states == 1, "a node has one state", node);
        require(
                RootArea.level(node) <= root.pages.level()
                        || !root.dirty.any(root.firstPage(node), root.endPage(node)),
                "a page of smaller chunks is not dirty",
                node);
        leaves++;
        if (root.used.get(node)) {
            usedBytes += ChunkLevel.bytes(RootArea.level(node));
            return;
        }
        require(
                root.warm.nodes.get(node) == root.hasMemory(node),
                "a free node is warm iff a page of it is committed",
                node);
        require(
                node == RootArea.WHOLE || !root.isFree(node ^ 1),
                "a free node has no free buddy",
                node);
    }

    private void checkIdle(boolean atRest) {
        for (int page = root.idle.next(0); page < root.idle.size; page = root.idle.next(page + 1)) {
            require(root.committed.get(page), "an idle page is committed", page);
            require(!atRest || isFreePage(occupied, root, page), "an idle page is free", page);
        }
    }

    private void require(boolean holds, String rule, int number) {
        if (!holds) {
            throw new AssertionError(
                    rule
                            + ": number="
                            + number
                            + ", slot="
                            + root.slot
                            + ", address=0x"
                            + Long.toHexString(root.address)
                            + ", root="
                            + root);
        }
    }
}
