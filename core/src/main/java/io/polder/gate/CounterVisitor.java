package io.polder.gate;

/**
 * The visitor of a thread whose visits are counted in a stripe.
 *
 * <p>The visit is written after it was counted, and its end after it was taken back, by stores that
 * cannot fail: if there is no stack left for either call, what is written says what is counted.
 */
final class CounterVisitor extends Visitor {
    private final Stripes stripes;
    private final Drain drain;
    private final int stripe;

    /** Of the visit, if there is one. */
    private int phase;

    CounterVisitor(Thread owner, Door door, Place place, Drain drain, Stripes stripes) {
        super(owner, door, place);
        this.stripes = stripes;
        this.drain = drain;
        this.stripe = stripes.of(owner.threadId());
    }

    @Override
    boolean tryEnterUnchecked() {
        long visit = Slots.visit(words);
        if (Visit.isInside(visit)) {
            return enterAgain(visit);
        }
        int counted = stripes.tryEnter(stripe);
        if (counted == Stripes.REFUSED) {
            return false;
        }
        phase = counted;
        Slots.setVisit(words, visit + Visit.BEGIN);
        return true;
    }

    @Override
    void leaveUnchecked() {
        long visit = Slots.visit(words);
        if (Visit.depth(visit) != 1) {
            leaveInner(visit);
            return;
        }
        boolean wanted = stripes.leave(stripe, phase);
        Slots.setVisit(words, visit - Visit.ONCE);
        if (wanted) {
            drain.wake();
        }
    }

    @Override
    void endVisit() {
        boolean wanted = stripes.leave(stripe, phase);
        Slots.setVisit(words, Visit.ended(Slots.visit(words)));
        if (wanted) {
            drain.wake();
        }
    }
}
