package io.polder.gate;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Knows the visitors of all platform threads, and gives their slots to others once they have ended.
 *
 * <p>There is no hook for the end of a thread. So whenever a thread registers, a few slots are
 * looked at, in turn: with more looked at than registered, those that ended cannot pile up. Those
 * who wait for a visit look whether its thread has ended, too.
 *
 * <p>Invariants: a slot is free iff it has no visitor; a visitor knows its slot; nobody is inside a
 * free slot.
 *
 * <p>Failure: one store gives a slot a visitor, one takes it; all else can be done again.
 *
 * <p>Ordering: a slot is published before its first use, and the registration ends with a full
 * fence. So a thread whose slot is not seen by who waits reads all that was written before the
 * wait. A slot goes from one thread to another under the lock; all that a thread did happens before
 * it is seen to have ended.
 *
 * <p>Thread-safe: one lock, held for a few reads; a visit that is ended under it may wake others.
 */
final class Visitors<V extends Visitor> {
    /** Slots looked at for each thread that registers; more than one, so that they catch up. */
    static final int LOOK_AT = 4;

    /** Makes the visitor of a thread. */
    interface Maker<V extends Visitor> {
        V make(Thread owner, Visitor.Place place);
    }

    /** Figures of one moment. */
    record Count(
            int threads,
            int slots,
            int inside,
            long endedInside,
            GateStatistics.@Nullable Insider longestInside) {}

    private final Slots slots;
    private final Maker<V> maker;
    private @Nullable Visitor[] visitors = new @Nullable Visitor[8]; // as many as slots, or more
    private long signals;
    private int next;
    private long endedInside;

    /**
     * Nobody.
     *
     * @param slots where visitors will be, none yet
     * @param maker of visitors
     * @param signals of every slot, from the first on
     */
    Visitors(Slots slots, Maker<V> maker, long signals) {
        this.slots = slots;
        this.maker = maker;
        this.signals = signals;
    }

    /** The visitor of a thread that has none. */
    synchronized V register(Thread owner) {
        int count = slots.count();
        for (int i = Math.min(LOOK_AT, count); i > 0; i--) {
            next = next + 1 < count ? next + 1 : 0;
            buryIfEnded(next);
        }
        int slot = freeSlot(count);
        if (slot == count) {
            slots.append(signals);
        }
        if (slots.count() > visitors.length) {
            visitors = Arrays.copyOf(visitors, 2 * slots.count());
        }
        V visitor = maker.make(owner, new Visitor.Place(slot, slots.get(slot)));
        VarHandle.fullFence();
        visitors[slot] = visitor;
        return visitor;
    }

    /** The first slot without a visitor; {@code count} if there is none. */
    private int freeSlot(int count) {
        int slot = 0;
        while (slot < count && slot < visitors.length && visitors[slot] != null) {
            slot++;
        }
        return slot;
    }

    @SuppressWarnings("unchecked") // made by the maker
    private @Nullable V visitor(int slot) {
        return slot < visitors.length ? (V) visitors[slot] : null;
    }

    /** The visitor of a living thread with this id; null if it has none. */
    synchronized @Nullable V find(long ownerId) {
        for (int slot = 0; slot < slots.count(); slot++) {
            V visitor = visitor(slot);
            if (visitor != null && visitor.ownerId() == ownerId) {
                return visitor;
            }
        }
        return null;
    }

    /** Whether a visit in a slot was about to be ended by its thread, and was cut off. */
    synchronized boolean isNotEnded(int slot, long visit) {
        V visitor = visitor(slot);
        return visitor != null && visitor.notEnded == Visit.outermost(visit);
    }

    /** Puts a signal into every slot that is there or will be. */
    synchronized void addSignal(long signal) {
        signals |= signal;
        for (int slot = 0; slot < slots.count(); slot++) {
            Slots.addSignal(slots.get(slot), signal);
        }
    }

    /** Takes a signal from every slot that is there or will be. */
    synchronized void removeSignal(long signal) {
        signals &= ~signal;
        for (int slot = 0; slot < slots.count(); slot++) {
            Slots.removeSignal(slots.get(slot), signal);
        }
    }

    /** Ends the visits of threads that have ended, and remembers who is inside. */
    synchronized void buryEnded() {
        long now = System.nanoTime();
        for (int slot = 0; slot < slots.count(); slot++) {
            buryIfEnded(slot);
            V visitor = visitor(slot);
            if (visitor != null) {
                visitor.observeLocked(now);
            }
        }
    }

    private void buryIfEnded(int slot) {
        V visitor = visitor(slot);
        if (visitor == null || !visitor.ended()) {
            return;
        }
        if (Visit.isInside(visit(slot))) {
            visitor.endVisit();
            endedInside++;
        }
        visitors[slot] = null;
    }

    /** Who is there. */
    synchronized Count count() {
        long now = System.nanoTime();
        int threads = 0;
        int inside = 0;
        long longest = -1;
        GateStatistics.Insider insider = null;
        for (int slot = 0; slot < slots.count(); slot++) {
            V visitor = visitor(slot);
            if (visitor == null) {
                continue;
            }
            threads++;
            long nanos = visitor.observeLocked(now);
            if (nanos < 0) {
                continue;
            }
            inside++;
            Thread owner = visitor.owner();
            if (nanos > longest && owner != null) {
                longest = nanos;
                insider = new GateStatistics.Insider(name(owner), nanos);
            }
        }
        return new Count(threads, slots.count(), inside, endedInside, insider);
    }

    /** A thread may have a name of no characters. */
    private static String name(Thread thread) {
        String name = thread.getName();
        return name.isEmpty() ? "thread #" + thread.threadId() : name;
    }

    /** Checks the invariants, and that every slot has at least these signals. */
    synchronized void verify(long expected) {
        check((signals & expected) == expected, "signals are those expected");
        for (int slot = 0; slot < slots.count(); slot++) {
            V visitor = visitor(slot);
            check(visitor == null || visitor.slot() == slot, "a visitor knows its slot");
            check(visitor != null || !Visit.isInside(visit(slot)), "a free slot is empty");
            check(
                    (Slots.signalsAcquire(slots.get(slot)) & signals) == signals,
                    "every slot has the signals of all");
        }
    }

    /** Checks that nobody is inside. */
    synchronized void verifyEmpty() {
        for (int slot = 0; slot < slots.count(); slot++) {
            V visitor = visitor(slot);
            check(visitor == null || !visitor.isInsideStill(), "nobody is inside");
        }
    }

    private long visit(int slot) {
        return Slots.visitAcquire(slots.get(slot));
    }

    private void check(boolean holds, String rule) {
        if (holds) {
            return;
        }
        StringBuilder dump = new StringBuilder(rule).append(':');
        for (int slot = 0; slot < slots.count(); slot++) {
            V visitor = visitor(slot);
            dump.append(slot == 0 ? " slot=" : "; slot=").append(slot);
            dump.append(", visit=0x").append(Long.toHexString(visit(slot)));
            dump.append(", owner=").append(visitor == null ? "none" : visitor.ownerId());
        }
        throw new AssertionError(dump.toString());
    }
}
