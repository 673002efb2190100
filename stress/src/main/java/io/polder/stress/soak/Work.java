package io.polder.stress.soak;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/** What a request does, and how often it was done. */
final class Work {
    private final String name;
    private final int weight;
    private final Request request;
    private final LongAdder done = new LongAdder();
    private final LongAdder refused = new LongAdder();

    /** Done by any thread; what it opens it closes, or leaves in {@link Places}. */
    @FunctionalInterface
    interface Request {
        void run(SplittableRandom random) throws InterruptedException;
    }

    /**
     * Something to do.
     *
     * @param name for people
     * @param weight how often it is done, compared with others
     * @param request what is done
     */
    Work(String name, int weight, Request request) {
        this.name = name;
        this.weight = weight;
        this.request = request;
    }

    String name() {
        return name;
    }

    int weight() {
        return weight;
    }

    long done() {
        return done.sum();
    }

    long refused() {
        return refused.sum();
    }

    /**
     * Does it once.
     *
     * @throws OutOfMemoryError if that was not for want of a pool's memory
     */
    void run(SplittableRandom random) throws InterruptedException {
        try {
            request.run(random);
            done.increment();
        } catch (OutOfMemoryError error) {
            if (!Refusals.isOfPool(error)) {
                throw error;
            }
            refused.increment();
        }
    }
}
