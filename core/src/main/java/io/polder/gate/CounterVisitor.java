package io.polder.gate;

/**
 * The visitor of a thread whose visits are counted in a stripe.
 *
 * <p>The visit is written after it was counted, and its end after it was taken back, by stores in
 * place that cannot fail: what is written says what is counted. An end that is cut off before the
 * visit is taken back has had no effect, one that is cut off later has ended it.
 */
final class CounterVisitor extends Visitor {
    private final Stripes stripes;
    private final Drain drain;
    private final int stripe;

    /** Of the visit, if there is one. */
    private int phase;

    CounterVisitor(Thread owner, Door door, Place place, Drain drain, Stripes stripes) {
        this(owner, door, place, drain, stripes, stripes.of(owner.threadId()));
    }

    private CounterVisitor(
            Thread owner, Door door, Place place, Drain drain, Stripes stripes, int stripe) {
        super(owner, door, place, stripes.notEnded(stripe));
        this.stripes = stripes;
        this.drain = drain;
        this.stripe = stripe;
    }

    /** Of a visit that was not ended; for who has read that. */
    int phase() {
        return phase;
    }

    @Override
    long beginUnchecked() {
        long before = Slots.visit(words);
        if (Visit.isInside(before)) {
            return beginAgain(before);
        }
        long visit = before + Visit.BEGIN;
        int counted = stripes.tryEnter(stripe);
        if (counted == Stripes.REFUSED) {
            return 0;
        }
        phase = counted;
        words[Slots.VISIT] = visit;
        return visit;
    }

    @Override
    void endUnchecked(long visit) {
        if (Visit.depth(visit) != 1 || !Visit.isWithin(visit, Slots.visit(words))) {
            endInner(visit);
            return;
        }
        long before = stripes.leave(stripe, phase);
        words[Slots.VISIT] = visit - Visit.ONCE;
        wakeIfWanted(before);
    }

    /** A visit that is not ended ceases to be one before it is taken back, and is again if not. */
    @Override
    void endVisit() {
        long ended = Visit.ended(Slots.visit(words));
        long marked = notEnded;
        long before;
        notEnded = 0;
        try {
            before = stripes.leave(stripe, phase);
        } catch (Throwable cutOff) {
            notEnded = marked;
            throw cutOff;
        }
        words[Slots.VISIT] = ended;
        wakeIfWanted(before);
    }

    private void wakeIfWanted(long before) {
        try {
            if (stripes.unwant(stripe, phase, before)) {
                drain.wake();
            }
        } catch (Throwable ignored) {
            // The visit has ended; who waits looks again soon
        }
    }
}
