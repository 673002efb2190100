package io.polder.arena;

/**
 * How large the arenas of a pool became so far: so that the next one need not find out anew.
 *
 * <pre>{@code
 *   kind     by the size of an arena's first request:  .. 16 | .. 32 | ...  | .. 16K | more
 *
 *   began small --outgrew--> has half an OS page --outgrew--> more     for each kind
 *     SMALL                    HALF
 * }</pre>
 *
 * <p>An arena that stays small should share an OS page with others; one that does not should have
 * its pages to itself from the first chunk on: every page it shares stays committed until the last
 * of its owners closes, so two shared pages cost more than one of its own. Nobody knows at the
 * start. But owners that do the same begin with the same request, so most of those before decide:
 * where most outgrew 1 KiB, the next ones begin with half a page; where most of those that had half
 * a page outgrew it, with a page.
 *
 * <p>What arenas hold and do not need is little of any limit: where more of it is in use, they
 * begin as if nothing were known, so that what was learned refuses nobody.
 *
 * <p>An arena tells only whether it outgrew what it began with. So one in {@value #SAMPLE} of those
 * that need not begins a size smaller. The counts are halved now and then: what arenas did lately
 * counts more.
 *
 * <p>Threads count without synchronisation. A benign race: a count lost changes a ratio by little.
 */
final class GrowthHistory {
    private static final int KINDS = 12;

    private static final long HALF_BYTES = GrowthPolicy.PAGE_BYTES / 2;

    /** Begins with a request for which nothing less than half a page will do. */
    private static final int HALF_KIND = kind(HALF_BYTES);

    /**
     * One in so many arenas begins smaller than the others; a power of two. One in eight committed
     * 1 % more in the valley of {@code lab elasticity}, owners of one class.
     */
    private static final int SAMPLE = 32;

    /** Fewer than this say nothing. */
    private static final int ENOUGH = 8;

    /** Guessed: what arenas do is unlearned after {@link #SAMPLE} times half as many. */
    private static final int HALVE_AT = 256;

    private static final int OPENED = 0;

    /** How many began so, and behind it how many of them outgrew that. */
    private static final int SMALL = 1;

    private static final int HALF = 3;
    private static final int STRIDE = 5;

    private final int[] counts = new int[KINDS * STRIDE];

    /** The kind of an arena that begins with a request of so many bytes. */
    static int kind(long bytes) {
        int log = Long.SIZE - Long.numberOfLeadingZeros(Math.max(1, bytes) - 1);
        return Math.clamp(log - 4L, 0, KINDS - 1);
    }

    /**
     * The size of an arena's first chunk, unless that is a slab, or the first request needs more.
     *
     * @param kind see {@link #kind}
     * @param ample whether it may have more than it needs; else it begins as if nothing were known
     * @return a power of two: the smallest, or up to an OS page
     */
    long firstBytes(int kind, boolean ample) {
        long bytes = GrowthPolicy.FIRST_BYTES;
        if (kind > HALF_KIND) {
            return bytes;
        }
        int at = kind * STRIDE;
        counts[at + OPENED]++;
        boolean sample = !ample || (counts[at + OPENED] & (SAMPLE - 1)) == 0;
        boolean half = kind == HALF_KIND || (ample && mostOutgrew(at + SMALL));
        boolean page = half && mostOutgrew(at + HALF);
        if (page && !sample) {
            return GrowthPolicy.PAGE_BYTES;
        }
        if (page || (half && !sample) || kind == HALF_KIND) {
            count(at + HALF);
            return HALF_BYTES;
        }
        count(at + SMALL);
        return bytes;
    }

    /**
     * The size of an arena's next chunk.
     *
     * @param kind its kind
     * @param ownedBytes the size of the chunks it has, which is not 0
     * @param ample whether it may have more than it needs
     */
    long nextBytes(int kind, long ownedBytes, boolean ample) {
        long bytes = GrowthPolicy.nextBytes(ownedBytes);
        return ample && ownedBytes < GrowthPolicy.PAGE_BYTES && mostOutgrew(kind * STRIDE + HALF)
                ? Math.max(bytes, GrowthPolicy.PAGE_BYTES)
                : bytes;
    }

    /**
     * An arena got more.
     *
     * @param kind its kind
     * @param fromBytes the size of the chunks it had, which is not 0
     * @param toBytes the size of those it has now
     */
    void grew(int kind, long fromBytes, long toBytes) {
        int at = kind * STRIDE;
        if (fromBytes < HALF_BYTES) {
            counts[at + SMALL + 1]++;
            if (toBytes - fromBytes >= GrowthPolicy.PAGE_BYTES) {
                return; // it was given that, and may not need it
            }
            count(at + HALF);
            counts[at + HALF + 1] += toBytes > HALF_BYTES ? 1 : 0;
        } else if (fromBytes == HALF_BYTES) {
            counts[at + HALF + 1]++;
        }
    }

    private boolean mostOutgrew(int at) {
        return counts[at] >= ENOUGH && 2 * counts[at + 1] >= counts[at];
    }

    private void count(int at) {
        counts[at]++;
        if (counts[at] >= HALVE_AT) {
            counts[at] /= 2;
            counts[at + 1] /= 2;
        }
    }
}
