package io.polder.page.space;

/**
 * The mix of sizes: what is asked for, how fast, and what is announced; and what was taken so far.
 *
 * <pre>{@code
 *   take    -->  asked      --tick-->  peak      requests in one tick, the most lately
 *   expect  -->  announced                       counted down by requests
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

    /** What is known of one class; what a request counts comes first. */
    private static final class OfClass {
        /** Since the last tick. */
        long asked;

        int largest;
        int announcedFor;
        long announced;
        double peak;
    }

    private final OfClass[] classes = new OfClass[CLASSES];

    /** How many pages were taken so far, by class. */
    final long[] pages = new long[CLASSES];

    /** How many granules those had. */
    final long[] granules = new long[CLASSES];

    /** How many granules had to read as zero, of those asked for since the last tick. */
    private long zeroAsked;

    private double zeroLately;

    /** Nothing was asked for. */
    Demand() {
        for (int c = 0; c < CLASSES; c++) {
            classes[c] = new OfClass();
        }
    }

    /** A page is asked for. */
    void asked(int count, boolean zero) {
        OfClass its = classes[Granules.requestClass(count)];
        its.asked++;
        its.largest = Math.max(its.largest, count);
        if (its.announced > 0) {
            its.announced--;
            its.announcedFor = 0;
        }
        if (zero) {
            zeroAsked += count;
        }
    }

    /** Counts a page that was taken, or, with -1, counts it no more. */
    void took(int count, int sign) {
        int c = Granules.requestClass(count);
        pages[c] += sign;
        granules[c] += (long) sign * count;
    }

    /** So many more pages will be asked for soon; none changes nothing. */
    void expect(int count, int more) {
        OfClass its = classes[Granules.requestClass(count)];
        its.announced += more;
        its.announcedFor = more > 0 ? 0 : its.announcedFor;
        its.largest = Math.max(its.largest, more > 0 ? count : 0);
    }

    /** Looks at what was asked for since the last tick. */
    void tick() {
        for (int c = 0; c < CLASSES; c++) {
            OfClass its = classes[c];
            its.peak = Math.max((double) its.asked, its.peak * FADING);
            its.asked = 0;
            if (its.announced > 0 && ++its.announcedFor > ANNOUNCED_TICKS) {
                its.announced = 0;
            }
            if (its.peak < FORGOTTEN) {
                its.peak = 0;
                its.largest = its.announced > 0 ? its.largest : 0;
            }
        }
        zeroLately = zeroLately * ZERO_FADING + zeroAsked;
        zeroAsked = 0;
    }

    /** Whether a tick may find something to prepare. */
    boolean isActive() {
        for (int c = 1; c < CLASSES; c++) {
            OfClass its = classes[c];
            if (its.peak > 0 || its.announced > 0 || its.asked > 0) {
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

    /** How many granules had to read as zero lately: in the last thousand ticks, more or less. */
    long zeroLately() {
        return (long) zeroLately + zeroAsked;
    }
}
