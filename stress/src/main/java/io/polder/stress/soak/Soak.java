package io.polder.stress.soak;

import io.polder.memory.FaultyProvider;
import io.polder.stress.everywhere.Require;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Everything at once, round after round.
 *
 * <pre>{@code
 *   | round: requests on threads that come and go      | rest: all is ended and given back |
 *     system calls fail, limits are hit                  verify, look at RSS and mappings
 *     memory and mappings are looked at each second
 * }</pre>
 *
 * <p>Not thread-safe; what runs in its threads is {@link Traffic}.
 */
final class Soak {
    /** Of so many system calls, one is refused. */
    private static final int FAULT_ONE_IN = 1_000;

    /** On a machine that is very busy a short soak goes on until each thing has happened. */
    private static final int ROUNDS_FACTOR_MAX = 10;

    private static final long LOOK_MILLIS = 1_000;

    private final SoakOptions options;
    private final FaultyProvider faulty = new FaultyProvider(FAULT_ONE_IN);
    private final Pools pools = new Pools(faulty);
    private final Traffic traffic;
    private final Flatness flatness;
    private final List<Round> rounds = new ArrayList<>();
    private final long begin = System.nanoTime();

    Soak(SoakOptions options) {
        this.options = options;
        this.traffic = new Traffic(pools, options.leakEvery());
        this.flatness = new Flatness(options.rounds(), options.seconds());
    }

    /**
     * Runs all rounds.
     *
     * @param results written after each
     * @throws AssertionError if something is wrong, or grows
     */
    void run(Results results, SplittableRandom random) throws InterruptedException, IOException {
        pools.fillHeaps(random);
        int roundsMax = ROUNDS_FACTOR_MAX * options.rounds();
        for (int i = 0; i < options.rounds() || (i < roundsMax && !wasVaried()); i++) {
            Round round = round(random);
            rounds.add(round);
            results.write(rounds, traffic.works(), headline());
            System.out.printf(
                    "  %6.1f min: %,7.0f requests/s; RSS %4d MiB, at rest %4d; committed %4d MiB,"
                            + " at rest %3d; mappings %4d, at rest %4d; refused %,d; faults %,d%n",
                    round.endSeconds() / 60,
                    round.requestsPerSecond(),
                    round.busy().rssBytes() >> 20,
                    round.atRest().rssBytes() >> 20,
                    round.busy().committedBytes() >> 20,
                    round.atRest().committedBytes() >> 20,
                    round.busy().mappings(),
                    round.atRest().mappings(),
                    round.refusals(),
                    round.faults());
            List<String> complaints = flatness.complaints(rounds);
            if (!complaints.isEmpty()) {
                throw new AssertionError(String.join("; ", complaints));
            }
        }
        Require.that(
                wasVaried(),
                "each kind of request is done, some are refused, so are system calls, and heaps"
                        + " are compacted: "
                        + summary(Map.of()));
    }

    private String headline() {
        return String.format(
                "%,d requests in %.0f minutes, %,d of %,d system calls refused",
                traffic.requests(), seconds() / 60, faulty.refused(), faulty.made());
    }

    private double seconds() {
        return (System.nanoTime() - begin) / 1e9;
    }

    private Round round(SplittableRandom random) throws InterruptedException {
        long requestsBefore = traffic.requests();
        long refusalsBefore = pools.refusals();
        long faultsBefore = faulty.refused();
        long roundBegin = System.nanoTime();
        long end = roundBegin + TimeUnit.SECONDS.toNanos(options.roundSeconds());
        Sample busy = Sample.NOTHING;
        List<Thread> lanes = traffic.begin(random);
        while (System.nanoTime() < end && !traffic.isOver()) {
            Thread.sleep(LOOK_MILLIS);
            busy = busy.most(Sample.take(pools));
            pools.verify();
        }
        double roundSeconds = (System.nanoTime() - roundBegin) / 1e9;
        long requests = traffic.requests() - requestsBefore;
        traffic.end(lanes);
        System.gc(); // what became unreachable and was not closed is a leak, and is found
        pools.rest();
        return new Round(
                seconds(),
                requests / roundSeconds,
                busy,
                Sample.take(pools),
                pools.refusals() - refusalsBefore,
                faulty.refused() - faultsBefore);
    }

    /** Whether each thing happened that a soak is about. */
    private boolean wasVaried() {
        return traffic.works().stream().allMatch(work -> work.done() > 0)
                && traffic.works().stream().anyMatch(work -> work.refused() > 0)
                && faulty.refused() > 0
                && pools.evacuatedBytes() > 0;
    }

    /** What is said at the end. */
    String summary(Map<String, Long> events) {
        StringBuilder text = new StringBuilder(headline());
        for (Work work : traffic.works()) {
            text.append(
                    String.format(
                            "%n  %-14s %,15d done %,9d refused",
                            work.name(), work.done(), work.refused()));
        }
        text.append(String.format("%n  events of the last chunk of Flight Recorder: %s", events));
        return text.toString();
    }
}
