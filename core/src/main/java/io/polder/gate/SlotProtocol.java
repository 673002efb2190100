package io.polder.gate;

import java.util.Arrays;

/**
 * Visits that are marked in {@link Slots}, and for virtual threads counted in {@link Stripes}.
 *
 * <pre>{@code
 *   visitor                             who waits
 *   -------                             ---------
 *   write slot: inside   (release)      write what visits are to see: CLOSED, or data
 *   fence                               fence
 *   read signals         (acquire)      read all slots           (acquire)
 *   read data            (any mode)     for each one inside: wait until the visit is another one,
 *   write slot: outside  (release)        or has ended           (acquire)
 * }</pre>
 *
 * <p><b>The claim.</b> When {@link #awaitEarlier} returns, each visit has either ended, and all it
 * did has happened before, or it sees all that was written before the call, CLOSED included.
 *
 * <p><b>Why.</b> Both write and then read what the other wrote, with a fence in between. So if who
 * waits does not find the visitor inside, the visitor finds what was written. If it does find it
 * inside, it waits for the release that ends the visit, or begins the next one.
 *
 * <p><b>The fence</b> may be {@linkplain GateFence asymmetric}: the visitor only keeps its compiler
 * from moving the read before the write, and who waits fences all threads. A visitor is then either
 * fenced after its write, which is seen, or before it, and reads later.
 *
 * <p>That visitors must fence is a signal, too, and may be taken away while the gate is used: who
 * waits has fenced all threads from the beginning. A visitor that finds the signal fences; one that
 * does not was told that it need not.
 *
 * <p><b>Closing</b> is to put CLOSED into all signals and to wait for the visits that began
 * earlier. A visitor that finds CLOSED ends its visit at once, having done nothing in it. So slots
 * may be seen occupied for moments while the gate is closed; who waits for one visit is not misled
 * by the next.
 *
 * <p><b>A slot that is new</b> is published, with the signals that all have, before its thread
 * passes a full fence, which comes before its first visit. Who waits and does not know the slot has
 * thus fenced before that.
 *
 * <p><b>Wanted.</b> A visitor that leaves writes its slot and reads its signals; who waits writes
 * WANTED, fences and reads the slot. In the asymmetric mode one of them sees the other; where the
 * visitor would have to pay for a second fence it does not. If it overlooks WANTED, its write is on
 * its way at that moment and is seen by the next looks, which {@link Drain} takes before it sleeps.
 */
final class SlotProtocol implements Protocol {
    private final Slots slots;
    private final Visitors<SlotVisitor> visitors;
    private final CounterProtocol virtual;
    private final Drain drain;
    private final GateFence fence;

    /**
     * A protocol for visits in these slots.
     *
     * @param slots of platform threads
     * @param visitors who is in them
     * @param virtual for virtual threads
     * @param drain waits for those inside
     * @param fence what stands between a write and a read
     */
    SlotProtocol(
            Slots slots,
            Visitors<SlotVisitor> visitors,
            CounterProtocol virtual,
            Drain drain,
            GateFence fence) {
        this.slots = slots;
        this.visitors = visitors;
        this.virtual = virtual;
        this.drain = drain;
        this.fence = fence;
    }

    /** Visitors need no full fence from now on. */
    void unfence() {
        visitors.removeSignal(Slots.FENCED);
    }

    @Override
    public String fence() {
        return fence.reason();
    }

    @Override
    public void mark() {
        visitors.addSignal(Slots.CLOSED);
        virtual.mark();
    }

    @Override
    public void unmark() {
        virtual.unmark();
        visitors.removeSignal(Slots.CLOSED);
    }

    @Override
    public void awaitEarlier() {
        fence.run();
        Inside inside = findInside();
        virtual.awaitEarlier();
        for (int i = 0; i < inside.count; i++) {
            drain.await(new VisitOver(inside.slots[i], inside.visits[i]));
        }
    }

    private Inside findInside() {
        Inside inside = new Inside();
        int count = slots.count();
        for (int slot = 0; slot < count; slot++) {
            long visit = Slots.visitAcquire(slots.get(slot));
            if (Visit.isInside(visit)) {
                inside.add(slot, visit);
            }
        }
        return inside;
    }

    @Override
    public long virtualInside() {
        return virtual.inside();
    }

    @Override
    public void verify(boolean closed) {
        visitors.verify(closed ? Slots.CLOSED : 0);
        virtual.verify(closed);
    }

    @Override
    public void verifyEmpty() {
        visitors.verifyEmpty();
        virtual.verifyEmpty();
    }

    /** Slots that were found occupied, and by which visits. */
    private static final class Inside {
        private int[] slots = new int[8];
        private long[] visits = new long[8];
        private int count;

        void add(int slot, long visit) {
            if (count == slots.length) {
                slots = Arrays.copyOf(slots, 2 * count);
                visits = Arrays.copyOf(visits, 2 * count);
            }
            slots[count] = slot;
            visits[count] = visit;
            count++;
        }
    }

    private final class VisitOver implements Drain.Departure {
        private final int slot;
        private final long[] words;
        private final long visit;

        /** Its thread was about to end it, and cut off: nothing of it comes after. */
        private boolean notEnded;

        VisitOver(int slot, long visit) {
            this.slot = slot;
            this.words = slots.get(slot);
            this.visit = visit;
        }

        @Override
        public boolean isOver() {
            return notEnded || !Visit.lasts(visit, Slots.visitAcquire(words));
        }

        @Override
        public void want() {
            Slots.addSignal(words, Slots.WANTED);
            fence.run();
        }

        @Override
        public void buryEnded() {
            visitors.buryEnded();
            notEnded = visitors.isNotEnded(slot, visit);
        }
    }
}
