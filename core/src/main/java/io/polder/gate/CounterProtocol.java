package io.polder.gate;

/**
 * Critical sections that are counted in {@link Stripes}.
 *
 * <p>A grace period flips the phase of each stripe and waits for the readers that are counted in
 * the phase before, as sleepable RCU does. The other phase must be empty before the flip: {@code
 * gracePeriod}, a monitor that is held for all of it, keeps grace periods apart. A second caller
 * waits for the first one, which costs little: it would have to wait for the same readers.
 *
 * <p>Invariant: while nobody holds {@code gracePeriod}, no reader is counted in the phase that a
 * stripe does not have.
 *
 * <p>Failure. An error in the middle of a wait (for want of stack, say) leaves readers in the phase
 * before the flip; so a grace period waits for both phases before it begins.
 */
final class CounterProtocol implements Protocol {
    private final Object gracePeriod = new Object();
    final Stripes stripes;
    private final ReaderWait readerWait;
    private final Runnable reapEnded;

    /**
     * A protocol for critical sections in these stripes.
     *
     * @param stripes counters
     * @param readerWait waits for readers
     * @param reapEnded ends the critical sections of threads that have ended
     */
    CounterProtocol(Stripes stripes, ReaderWait readerWait, Runnable reapEnded) {
        this.stripes = stripes;
        this.readerWait = readerWait;
        this.reapEnded = reapEnded;
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
    public void synchronize() {
        synchronized (gracePeriod) {
            int[] phases = new int[stripes.count()];
            for (int stripe = 0; stripe < phases.length; stripe++) {
                phases[stripe] = flip(stripe);
            }
            for (int stripe = 0; stripe < phases.length; stripe++) {
                await(stripe, phases[stripe]);
            }
        }
    }

    private int flip(int stripe) {
        int other = stripes.otherPhase(stripe);
        if (!stripes.isEmpty(stripe, other)) {
            await(stripe, other);
        }
        return stripes.flip(stripe);
    }

    private void await(int stripe, int phase) {
        if (!stripes.isEmpty(stripe, phase)) {
            readerWait.await(new StripeEmpty(stripe, phase));
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

    /** How many readers are counted. */
    long inside() {
        return stripes.inside();
    }

    private final class StripeEmpty implements ReaderWait.Condition {
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
        public void setWaiting() {
            stripes.setWaiting(stripe, phase);
        }

        @Override
        public void reapEnded() {
            reapEnded.run();
        }
    }
}
