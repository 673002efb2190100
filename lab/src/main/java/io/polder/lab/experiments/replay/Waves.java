package io.polder.lab.experiments.replay;

/**
 * Tells waves of deaths apart. HotSpot unloads class loaders in a garbage collection, many at once,
 * and gives memory back when it is done with all of them; so does the replay.
 *
 * <p>A wave ends with the first event that comes more than {@value #GAP_NANOS} ns after its last
 * death. That is longer than the unloading takes between two deaths, and shorter than the time
 * between two collections that have something to unload.
 */
final class Waves {
    private static final long GAP_NANOS = 100_000_000;

    private boolean running;
    private long lastDeathNanos;

    /** Whether a wave ended before this event; the events are asked about one after the other. */
    boolean endBefore(ArenaEvent event) {
        boolean ended = running && event.nanos() - lastDeathNanos > GAP_NANOS;
        running &= !ended;
        if (event.kind() == ArenaEvent.Kind.DIES) {
            running = true;
            lastDeathNanos = event.nanos();
        }
        return ended;
    }

    /** Whether a wave was going on when the log ended. */
    boolean endAtEnd() {
        return running;
    }
}
