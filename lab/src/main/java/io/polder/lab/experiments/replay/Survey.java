package io.polder.lab.experiments.replay;

import io.polder.lab.harness.InputException;

import java.util.ArrayList;
import java.util.List;

/**
 * What a log says, before any of it is replayed: it is read once as a whole, so that a broken one
 * is found before memory is taken, and so that peak and valley are known when they come.
 *
 * <ul>
 *   <li>The <b>peak</b> is the event after which most was used, the first if there are several.
 *   <li>The <b>valley</b> is the end of a wave of deaths after the peak at which least was used, of
 *       those at which an owner lived that dies later in the log: the workload goes on. Where there
 *       is none it is the end of the log, or, if nothing is used there, the peak.
 * </ul>
 *
 * <p>A place in the log is given as a number of events before it.
 *
 * @param lines in all parts
 * @param cut whether the last line was cut, and left out
 * @param events born, requested and dies
 * @param requests of them, requests
 * @param births of them, births
 * @param deaths of them, deaths
 * @param ownersMax how many lived at the same time at most
 * @param firstNanos time of the first event
 * @param lastNanos time of the last event
 * @param peak place of the peak
 * @param valley place of the valley
 */
record Survey(
        long lines,
        boolean cut,
        long events,
        long requests,
        long births,
        long deaths,
        int ownersMax,
        long firstNanos,
        long lastNanos,
        long peak,
        long valley) {
    /**
     * Reads a log.
     *
     * @throws InputException if it is not as it must be, or nothing is requested in it
     */
    static Survey of(MetaspaceLog log) throws InputException {
        Counting counting = new Counting();
        MetaspaceLog.Extent extent = log.read(counting::accept);
        if (counting.requests == 0) {
            throw new InputException(
                    log.parts().getLast()
                            + ", last line: expected an arena to request something by then",
                    null);
        }
        return counting.survey(extent);
    }

    /** Whether the valley is the peak, and something comes after it. */
    boolean isValleyAtPeak() {
        return valley == peak && peak < events;
    }

    /** The end of a wave, which may turn out to be the valley. */
    private record Bottom(long place, long usedBytes) {
        static final Bottom NONE = new Bottom(-1, Long.MAX_VALUE);

        /** Whether this is lower, or as low and earlier. */
        boolean isBelow(Bottom other) {
            return usedBytes < other.usedBytes
                    || (usedBytes == other.usedBytes && place < other.place);
        }
    }

    /** One pass over the log. */
    private static final class Counting {
        private final Owners owners = new Owners();
        private final Waves waves = new Waves();

        /** Ends of waves after the peak, in order, while nobody who lived then has died. */
        private final List<Bottom> open = new ArrayList<>();

        private Bottom lowest = Bottom.NONE;
        private long requests;
        private long births;
        private long deaths;
        private int ownersMax;
        private long firstNanos;
        private long lastNanos;
        private long peak;
        private long peakBytes = -1;

        void accept(ArenaEvent event) throws BrokenLogException {
            if (waves.endBefore(event)) {
                open.add(new Bottom(owners.events(), owners.usedBytes()));
            }
            LoggedOwner owner = owners.apply(event);
            firstNanos = owners.events() == 1 ? event.nanos() : firstNanos;
            lastNanos = Math.max(lastNanos, event.nanos());
            switch (event.kind()) {
                case BORN -> births++;
                case REQUESTED -> requests++;
                case DIES -> {
                    deaths++;
                    confirm(owner.bornAt());
                }
            }
            ownersMax = Math.max(ownersMax, owners.count());
            if (owners.usedBytes() > peakBytes) {
                peakBytes = owners.usedBytes();
                peak = owners.events();
                open.clear();
                lowest = Bottom.NONE;
            }
        }

        /** One who was born at this event has died: the ends of waves since then count. */
        private void confirm(long bornAt) {
            while (!open.isEmpty() && open.getLast().place() > bornAt) {
                Bottom bottom = open.removeLast();
                if (bottom.usedBytes() > 0 && bottom.isBelow(lowest)) {
                    lowest = bottom;
                }
            }
        }

        Survey survey(MetaspaceLog.Extent extent) {
            long end = owners.usedBytes() > 0 ? owners.events() : peak;
            return new Survey(
                    extent.lines(),
                    extent.cut(),
                    owners.events(),
                    requests,
                    births,
                    deaths,
                    ownersMax,
                    firstNanos,
                    lastNanos,
                    peak,
                    lowest.equals(Bottom.NONE) ? end : lowest.place());
        }
    }
}
