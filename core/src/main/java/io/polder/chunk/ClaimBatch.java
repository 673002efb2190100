package io.polder.chunk;

/**
 * What the {@link Uncommitter} has claimed of one root chunk: the nodes, and the ranges of pages in
 * them that are to be uncommitted.
 *
 * <p>Not thread-safe: belongs to one pass at a time.
 */
final class ClaimBatch {
    private final OsPages pages;
    private final int[] nodes;
    private final long[] addresses;
    private final long[] sizes;
    private long rootAddress;
    private int nodeCount;
    private int rangeCount;

    /** An empty batch; there can be no more ranges or nodes than pages in a root. */
    ClaimBatch(OsPages pages) {
        this.pages = pages;
        this.nodes = new int[pages.perRoot()];
        this.addresses = new long[pages.perRoot()];
        this.sizes = new long[pages.perRoot()];
    }

    /** Forgets everything; what is added next belongs to this root. */
    void begin(RootArea root) {
        rootAddress = root.address();
        nodeCount = 0;
        rangeCount = 0;
    }

    void addNode(int node) {
        nodes[nodeCount++] = node;
    }

    void addPages(int from, int to) {
        addresses[rangeCount] = rootAddress + from * pages.bytes();
        sizes[rangeCount] = (to - from) * pages.bytes();
        rangeCount++;
    }

    int nodeCount() {
        return nodeCount;
    }

    int node(int index) {
        return nodes[index];
    }

    int rangeCount() {
        return rangeCount;
    }

    /** The first page of a range, counted from the start of the root. */
    int firstPage(int range) {
        return pages.containing(addresses[range] - rootAddress);
    }

    /** The page after a range. */
    int endPage(int range) {
        return pages.containing(addresses[range] + sizes[range] - rootAddress);
    }

    long[] addresses() {
        return addresses;
    }

    long[] sizes() {
        return sizes;
    }
}
