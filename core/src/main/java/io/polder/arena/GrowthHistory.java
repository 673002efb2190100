package io.polder.arena;

/**
 * How large the arenas of a pool became so far: so that the next one need not find out anew.
 *
 * <pre>{@code
 *   kind     by the size of an arena's first request:  .. 16 | .. 32 | ...  | .. 16K | more
 *
 *   started --takes a second chunk--> grown --owns an OS page or more--> paged        for each kind
 * }</pre>
 *
 * <p>An arena that stays small should share an OS page with others; one that does not should have
 * its pages to itself, from the first or the second chunk on: every page it shares stays committed
 * until the last of its owners closes. Nobody knows at the start. But owners that do the same begin
 * with the same request, so most of those before decide.
 *
 * <p>Only arenas that began small can tell, since only they are seen to outgrow it. Where most do
 * not begin small any more, one in {@value #SAMPLE} still does. The counts are halved now and then:
 * what arenas did lately counts more.
 *
 * <p>Threads count without synchronisation. A benign race: a count lost changes a ratio by little.
 */
final class GrowthHistory {
    private static final int KINDS = 12;

    /** One in so many arenas begins small whatever the others did; a power of two. */
    private static final int SAMPLE = 8;

    /** Fewer than this say nothing. */
    private static final int ENOUGH = 8;

    private static final int HALVE_AT = 1024;

    private static final int OPENED = 0;
    private static final int STARTED = 1;
    private static final int GROWN = 2;
    private static final int PAGED = 3;
    private static final int STRIDE = 4;

    private final GrowthPolicy policy;
    private final int[] counts = new int[KINDS * STRIDE];

    /** No arena yet. */
    GrowthHistory(GrowthPolicy policy) {
        this.policy = policy;
    }

    /** The kind of an arena that begins with a request of so many bytes. */
    static int kind(long bytes) {
        int log = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, bytes) - 1);
        return Math.clamp(log - 4L, 0, KINDS - 1);
    }

    /**
     * The size of an arena's first chunk, unless that is a slab.
     *
     * @param kind see {@link #kind}
     * @return a power of two: what the policy says, or an OS page if that is more
     */
    long firstBytes(int kind) {
        long bytes = policy.nextBytes(0);
        if (bytes >= GrowthPolicy.PAGE_BYTES) {
            return bytes;
        }
        if (beginsWithPage(kind)) {
            return GrowthPolicy.PAGE_BYTES;
        }
        started(kind);
        return bytes;
    }

    /**
     * The size of an arena's next chunk.
     *
     * @param kind its kind
     * @param ownedBytes the size of the chunks it has, which is not 0
     */
    long nextBytes(int kind, long ownedBytes) {
        long bytes = policy.nextBytes(ownedBytes);
        return ownedBytes < GrowthPolicy.PAGE_BYTES && goesOnWithPages(kind)
                ? Math.max(bytes, GrowthPolicy.PAGE_BYTES)
                : bytes;
    }

    /**
     * The size of the next chunk of an arena that began with a slab.
     *
     * @param ownedBytes the size of the chunks it has, the slab included
     */
    long nextAfterSlab(long ownedBytes) {
        return policy.nextAfterSlab(ownedBytes);
    }

    /**
     * An arena got more.
     *
     * @param kind its kind
     * @param fromBytes the size of the chunks it had, which is not 0
     * @param toBytes the size of those it has now
     */
    void grew(int kind, long fromBytes, long toBytes) {
        if (fromBytes >= GrowthPolicy.PAGE_BYTES) {
            return;
        }
        if (fromBytes == policy.nextBytes(0)) {
            counts[kind * STRIDE + GROWN]++;
        }
        if (toBytes >= GrowthPolicy.PAGE_BYTES) {
            counts[kind * STRIDE + PAGED]++;
        }
    }

    private boolean beginsWithPage(int kind) {
        int at = kind * STRIDE;
        counts[at + OPENED]++;
        return counts[at + STARTED] >= ENOUGH
                && 2 * counts[at + PAGED] >= counts[at + STARTED]
                && (counts[at + OPENED] & (SAMPLE - 1)) != 0;
    }

    private boolean goesOnWithPages(int kind) {
        int at = kind * STRIDE;
        return counts[at + GROWN] >= ENOUGH && 2 * counts[at + PAGED] >= counts[at + GROWN];
    }

    private void started(int kind) {
        int at = kind * STRIDE;
        counts[at + STARTED]++;
        if (counts[at + STARTED] >= HALVE_AT) {
            counts[at + STARTED] /= 2;
            counts[at + GROWN] /= 2;
            counts[at + PAGED] /= 2;
        }
    }
}
