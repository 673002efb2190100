package io.polder.lab.experiments.evacuation;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The highest rate at which 99 of 100 operations end within a millisecond, by bisection: between
 * none and what threads do when they never wait.
 *
 * @param steps how often the range is halved
 * @param duration of an attempt
 * @param attempts at a rate, one of which must hold: one may be spoiled by the machine
 */
record RateSearch(int steps, Duration duration, int attempts) {
    /** The bound of the critical rate. */
    static final long P99_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(1);

    /** Searches; 0 if no rate that was tried holds. */
    double run(Injector injector, double perSecondMax) throws InterruptedException {
        double holds = 0;
        double fails = perSecondMax;
        for (int step = 0; step < steps; step++) {
            double rate = (holds + fails) / 2;
            if (holds(injector, rate)) {
                holds = rate;
            } else {
                fails = rate;
            }
        }
        return holds;
    }

    private boolean holds(Injector injector, double rate) throws InterruptedException {
        for (int attempt = 0; attempt < attempts; attempt++) {
            if (injector.run(rate, duration).holds(P99_NANOS_MAX)) {
                return true;
            }
        }
        return false;
    }
}
