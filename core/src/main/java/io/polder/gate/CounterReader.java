package io.polder.gate;

/**
 * The reader of a thread whose critical sections are counted in a stripe.
 *
 * <p>It writes the critical section after that was counted, and its end after the count was taken
 * back, by stores in place that cannot fail: what is written says what is counted. An end that is
 * cut off before the count is taken back has had no effect; one that is cut off later has taken
 * effect.
 */
final class CounterReader extends Reader {
    private final Stripes stripes;
    private final ReaderWait readerWait;
    private final int stripe;

    /** In which the critical section is counted, if there is one. */
    private int phase;

    CounterReader(
            Thread owner,
            ClosedState closedState,
            Place place,
            ReaderWait readerWait,
            Stripes stripes) {
        this(owner, closedState, place, readerWait, stripes, stripes.of(owner.threadId()));
    }

    private CounterReader(
            Thread owner,
            ClosedState closedState,
            Place place,
            ReaderWait readerWait,
            Stripes stripes,
            int stripe) {
        super(owner, closedState, place, stripes.notEnded(stripe));
        this.stripes = stripes;
        this.readerWait = readerWait;
        this.stripe = stripe;
    }

    /** Of a critical section that was not ended; for a thread that has read that. */
    int phase() {
        return phase;
    }

    @Override
    long beginUnchecked() {
        long before = Slots.section(words);
        if (CriticalSection.isInside(before)) {
            return beginAgain(before);
        }
        long section = before + CriticalSection.BEGIN;
        int counted = stripes.tryEnter(stripe);
        if (counted == Stripes.REFUSED) {
            return 0;
        }
        phase = counted;
        words[Slots.SECTION] = section;
        return section;
    }

    @Override
    void endUnchecked(long section) {
        if (CriticalSection.depth(section) != 1 || Slots.section(words) != section) {
            endOther(section);
            return;
        }
        long before = stripes.leave(stripe, phase);
        words[Slots.SECTION] = section - CriticalSection.NESTED;
        wakeIfWaiting(before);
    }

    /** The mark of one that could not be ended goes first, and comes back if the end fails. */
    @Override
    void endSection() {
        long ended = CriticalSection.ended(Slots.section(words));
        long marked = notEnded;
        long before;
        notEnded = 0;
        try {
            before = stripes.leave(stripe, phase);
        } catch (Throwable cutOff) {
            notEnded = marked;
            throw cutOff;
        }
        words[Slots.SECTION] = ended;
        wakeIfWaiting(before);
    }

    private void wakeIfWaiting(long before) {
        try {
            if (stripes.clearWaiting(stripe, phase, before)) {
                readerWait.wake();
            }
        } catch (Throwable ignored) {
            // The critical section has ended; a waiter looks again soon
        }
    }
}
