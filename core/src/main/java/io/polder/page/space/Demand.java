package io.polder.page.space;

/**
 * The mix of sizes that is asked for: what was taken so far, what is announced, and how fast.
 *
 * <pre>{@code
 *   take    -->  counts[class]  --tick-->  peak[class]    takes in one tick, the most lately
 *   expect  -->  announced[class]                         counted down by takes
 *                                    \
 *                                     +--> wanted(class): runs to keep ready
 * }</pre>
 *
 * <p>A class has the requests above half of a power of two of granules, up to it. Its runs are as
 * long as the largest request of the class lately.
 *
 * <p>Not thread-safe: guarded by the lock of the {@link PageState} it belongs to.
 */
final class Demand {
    /** As many as there are powers of two of granules in an address space. */
    static final int CLASSES = Granules.requestClass(Granules.COUNT_MAX) + 1;

    /** From tick to tick; a peak has halved after 100: guessed. */
    private static final double FADING = 0.993;

    /** Below this a peak is forgotten, some 400 ticks after a single take: guessed. */
    private static final double FORGOTTEN = 0.06;

    /** How many ticks ahead of the fastest demand runs are kept ready: guessed. */
    private static final int TICKS_AHEAD = 2;

    /** After so many ticks without a take an announcement is void: guessed. */
    private static final int ANNOUNCED_TICKS = 1000;

    /** From tick to tick; what was asked for counts for some 1000: guessed. */
    private static final double ZERO_FADING = 0.999;

    private final long[] counts = new long[CLASSES];
    private final long[] sizes = new long[CLASSES];
    private final long[] seen = new long[CLASSES];
    private final long[] refusedCounts = new long[CLASSES];
    private final long[] refusedSizes = new long[CLASSES];
    private final double[] peak = new double[CLASSES];
    private final long[] announced = new long[CLASSES];
    private final int[] announcedFor = new int[CLASSES];
    private final int[] largest = new int[CLASSES];
    private long zeroGranules;
    private long zeroSeen;
    private double zeroLately;

    /** A page was asked for. */
    void took(int count, boolean zero) {
        int c = Granules.requestClass(count);
        counts[c]++;
        sizes[c] += count;
        largest[c] = Math.max(largest[c], count);
        if (announced[c] > 0) {
            announced[c]--;
            announcedFor[c] = 0;
        }
        if (zero) {
            zeroGranules += count;
        }
    }

    /** A page that was asked for was refused: somebody wants it still, and nobody has it. */
    void refused(int count) {
        int c = Granules.requestClass(count);
        refusedCounts[c]++;
        refusedSizes[c] += count;
    }

    /** So many more pages will be asked for soon. */
    void expect(int granules, int pages) {
        int c = Granules.requestClass(granules);
        announced[c] += pages;
        announcedFor[c] = 0;
        largest[c] = Math.max(largest[c], granules);
    }

    /** Looks at what was asked for since the last tick. */
    void tick() {
        for (int c = 0; c < CLASSES; c++) {
            long taken = counts[c] - seen[c];
            seen[c] = counts[c];
            peak[c] = Math.max((double) taken, peak[c] * FADING);
            if (announced[c] > 0 && ++announcedFor[c] > ANNOUNCED_TICKS) {
                announced[c] = 0;
            }
            if (peak[c] < FORGOTTEN) {
                peak[c] = 0;
                largest[c] = announced[c] > 0 ? largest[c] : 0;
            }
        }
        zeroLately = zeroLately * ZERO_FADING + (zeroGranules - zeroSeen);
        zeroSeen = zeroGranules;
    }

    /** Whether a tick may find something to prepare. */
    boolean isActive() {
        for (int c = 1; c < CLASSES; c++) {
            if (peak[c] > 0 || announced[c] > 0 || counts[c] != seen[c]) {
                return true;
            }
        }
        return false;
    }

    /** How many runs of a class should be ready. */
    long wanted(int c) {
        long soon = peak[c] > 0 ? 1 + (long) Math.ceil(TICKS_AHEAD * peak[c]) : 0;
        return Math.max(soon, announced[c]);
    }

    /** Whether pages of a class are announced that were not taken yet. */
    boolean isAnnounced(int c) {
        return announced[c] > 0;
    }

    /** How many granules a run of a class needs. */
    int runLength(int c) {
        return largest[c] > 0 ? largest[c] : 1 << c;
    }

    /** How many pages of a class were taken. */
    long count(int c) {
        return counts[c] - refusedCounts[c];
    }

    /** How many granules those had. */
    long granules(int c) {
        return sizes[c] - refusedSizes[c];
    }

    /** How many granules had to read as zero lately: in the last thousand ticks, more or less. */
    long zeroLately() {
        return (long) zeroLately + (zeroGranules - zeroSeen);
    }
}
