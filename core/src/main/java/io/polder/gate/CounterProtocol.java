package io.polder.gate;

/**
 * Visits that are counted in {@link Stripes}.
 *
 * <p>A grace period turns over the phase of each stripe and waits for those counted in the one
 * before. That one is empty before the next: {@code gracePeriod}, a monitor held for all of it,
 * keeps them apart. Who comes to a second grace period while the first one waits for a visit would
 * have to wait for that visit as well.
 *
 * <p>Invariant: while nobody holds {@code gracePeriod}, nobody is counted in the phase that a
 * stripe does not have.
 *
 * <p>Failure. What is thrown while waiting (for want of stack, say) leaves visits in the phase that
 * was turned over; so a grace period waits for both before it begins.
 */
final class CounterProtocol implements Protocol {
    private final Object gracePeriod = new Object();
    private final Stripes stripes;
    private final Drain drain;
    private final Runnable buryEnded;

    /**
     * A protocol for visits in these stripes.
     *
     * @param stripes counters
     * @param drain waits for those inside
     * @param buryEnded ends the visits of threads that have ended
     */
    CounterProtocol(Stripes stripes, Drain drain, Runnable buryEnded) {
        this.stripes = stripes;
        this.drain = drain;
        this.buryEnded = buryEnded;
    }

    @Override
    public void mark() {
        stripes.mark();
    }

    @Override
    public void unmark() {
        stripes.unmark();
    }

    @Override
    public void awaitEarlier() {
        synchronized (gracePeriod) {
            int[] phases = new int[stripes.count()];
            for (int stripe = 0; stripe < phases.length; stripe++) {
                phases[stripe] = turnOver(stripe);
            }
            for (int stripe = 0; stripe < phases.length; stripe++) {
                await(stripe, phases[stripe]);
            }
        }
    }

    private int turnOver(int stripe) {
        int other = stripes.otherPhase(stripe);
        if (!stripes.isEmpty(stripe, other)) {
            await(stripe, other);
        }
        return stripes.turnOver(stripe);
    }

    private void await(int stripe, int phase) {
        if (!stripes.isEmpty(stripe, phase)) {
            drain.await(new StripeEmpty(stripe, phase));
        }
    }

    @Override
    public String fence() {
        return "atomic counters";
    }

    @Override
    public long virtualInside() {
        return 0;
    }

    /** How many are counted. */
    long inside() {
        return stripes.inside();
    }

    @Override
    public void verify(boolean closed) {
        stripes.verify(closed);
    }

    @Override
    public void verifyEmpty() {
        if (stripes.inside() != 0) {
            throw new AssertionError("nobody is counted: inside=" + stripes.inside());
        }
    }

    private final class StripeEmpty implements Drain.Departure {
        private final int stripe;
        private final int phase;

        StripeEmpty(int stripe, int phase) {
            this.stripe = stripe;
            this.phase = phase;
        }

        @Override
        public boolean isOver() {
            return stripes.isEmpty(stripe, phase);
        }

        @Override
        public void want() {
            stripes.want(stripe, phase);
        }

        @Override
        public void buryEnded() {
            buryEnded.run();
        }
    }
}
