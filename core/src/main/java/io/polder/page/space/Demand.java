package io.polder.page.space;

/**
 * The mix of sizes that is asked for: what was taken so far, what is announced, and how fast.
 *
 * <pre>{@code
 *   take    -->  taken      --tick-->  peak      takes in one tick, the most lately
 *   expect  -->  announced                       counted down by takes
 *                          \
 *                           +--> wanted: runs to keep ready          all of it for each class
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

    /** What is known of one class; what a take counts comes first. */
    private static final class OfClass {
        long count;
        long granules;
        int largest;
        int announcedFor;
        long announced;
        long seen;
        double peak;
    }

    private final OfClass[] classes = new OfClass[CLASSES];
    private long zeroGranules;
    private long zeroSeen;
    private double zeroLately;

    /** Nothing was asked for. */
    Demand() {
        for (int c = 0; c < CLASSES; c++) {
            classes[c] = new OfClass();
        }
    }

    /** A page was asked for. */
    void took(int count, boolean zero) {
        OfClass its = classes[Granules.requestClass(count)];
        its.count++;
        its.granules += count;
        its.largest = Math.max(its.largest, count);
        if (its.announced > 0) {
            its.announced--;
            its.announcedFor = 0;
        }
        if (zero) {
            zeroGranules += count;
        }
    }

    /**
     * A page that was asked for was refused, or a smaller one was taken in its place: somebody
     * wants it still, and nobody has it.
     *
     * @param got how many granules were taken; 0 if none
     */
    void missed(int count, int got) {
        countMissed(count, 1);
        if (got > 0) {
            countMissed(got, -1);
        }
    }

    private void countMissed(int count, int pages) {
        OfClass its = classes[Granules.requestClass(count)];
        its.count -= pages;
        its.seen -= pages; // what was asked for since the last tick stays the same
        its.granules -= (long) pages * count;
    }

    /** So many more pages will be asked for soon. */
    void expect(int granules, int pages) {
        OfClass its = classes[Granules.requestClass(granules)];
        its.announced += pages;
        its.announcedFor = 0;
        its.largest = Math.max(its.largest, granules);
    }

    /** Looks at what was asked for since the last tick. */
    void tick() {
        for (int c = 0; c < CLASSES; c++) {
            OfClass its = classes[c];
            long taken = its.count - its.seen;
            its.seen = its.count;
            its.peak = Math.max((double) taken, its.peak * FADING);
            if (its.announced > 0 && ++its.announcedFor > ANNOUNCED_TICKS) {
                its.announced = 0;
            }
            if (its.peak < FORGOTTEN) {
                its.peak = 0;
                its.largest = its.announced > 0 ? its.largest : 0;
            }
        }
        zeroLately = zeroLately * ZERO_FADING + (zeroGranules - zeroSeen);
        zeroSeen = zeroGranules;
    }

    /** Whether a tick may find something to prepare. */
    boolean isActive() {
        for (int c = 1; c < CLASSES; c++) {
            OfClass its = classes[c];
            if (its.peak > 0 || its.announced > 0 || its.count != its.seen) {
                return true;
            }
        }
        return false;
    }

    /** How many runs of a class should be ready. */
    long wanted(int c) {
        OfClass its = classes[c];
        long soon = its.peak > 0 ? 1 + (long) Math.ceil(TICKS_AHEAD * its.peak) : 0;
        return Math.max(soon, its.announced);
    }

    /** Whether pages of a class are announced that were not taken yet. */
    boolean isAnnounced(int c) {
        return classes[c].announced > 0;
    }

    /** How many granules a run of a class needs. */
    int runLength(int c) {
        int largest = classes[c].largest;
        return largest > 0 ? largest : 1 << c;
    }

    /** How many pages of a class were taken. */
    long count(int c) {
        return classes[c].count;
    }

    /** How many granules those had. */
    long granules(int c) {
        return classes[c].granules;
    }

    /** How many granules had to read as zero lately: in the last thousand ticks, more or less. */
    long zeroLately() {
        return (long) zeroLately + (zeroGranules - zeroSeen);
    }
}
