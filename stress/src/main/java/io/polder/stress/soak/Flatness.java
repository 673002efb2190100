package io.polder.stress.soak;

import java.util.ArrayList;
import java.util.List;

/**
 * What may not grow: memory and mappings at rest. The first rounds warm up; of those that follow
 * none may have more than the most of these, and a little. A leak passes that in time, however slow
 * it is; what takes memory and gives it back does not.
 */
final class Flatness {
    /** Of all rounds, a quarter warms up. A guess; code is compiled, and JFR fills its buffers. */
    private static final int WARM_OF = 4;

    private static final int WARM_MIN = 3;

    /** From here on, compilers have done most of their work when the first quarter is over. */
    private static final int LONG_SECONDS = 20 * 60;

    /** Objects of the heaps, of which there are always about as many, in whole granules. */
    private static final long COMMITTED_GROWTH_MAX_BYTES = 16L << 20;

    private final int warmRounds;
    private final Growth growthMax;

    /** What the JVM may add by itself: data of the compilers and of JFR, mappings of both. */
    private record Growth(long rssBytes, long mappings) {
        /** A short soak ends while code is compiled. A guess: several times what was seen. */
        static final Growth SHORT = new Growth(128L << 20, 500);

        /** A guess, for an hour; a leak of one arena in a million exceeds it. */
        static final Growth LONG = new Growth(24L << 20, 100);
    }

    /**
     * Prepares to look.
     *
     * @param rounds how many there will be
     * @param seconds how long they take
     */
    Flatness(int rounds, int seconds) {
        this.warmRounds = Math.max(WARM_MIN, rounds / WARM_OF);
        this.growthMax = seconds < LONG_SECONDS ? Growth.SHORT : Growth.LONG;
    }

    /** Says what has grown; nothing if all is well, or too few rounds are over to tell. */
    List<String> complaints(List<Round> rounds) {
        List<String> complaints = new ArrayList<>();
        if (rounds.size() <= warmRounds) {
            return complaints;
        }
        Sample warm = most(rounds.subList(0, warmRounds));
        Sample after = most(rounds.subList(warmRounds, rounds.size()));
        complain(complaints, "RSS", warm.rssBytes(), after.rssBytes(), growthMax.rssBytes());
        complain(
                complaints,
                "committed",
                warm.committedBytes(),
                after.committedBytes(),
                COMMITTED_GROWTH_MAX_BYTES);
        complain(complaints, "mappings", warm.mappings(), after.mappings(), growthMax.mappings());
        return complaints;
    }

    private static Sample most(List<Round> rounds) {
        return rounds.stream().map(Round::atRest).reduce(Sample.NOTHING, Sample::most);
    }

    private static void complain(
            List<String> complaints, String what, long warm, long after, long growthMax) {
        if (after - warm > growthMax) {
            complaints.add(
                    what
                            + " at rest must not grow: warm="
                            + warm
                            + ", after="
                            + after
                            + ", growthMax="
                            + growthMax);
        }
    }
}
