package io.polder.gate;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Set;

/**
 * Knows the visitors of all platform threads, and gives their slots to others once they have ended.
 *
 * <p>There is no hook for the end of a thread. So whenever a thread registers, a few slots are
 * looked at, in turn: with more looked at than registered, those that ended cannot pile up. Those
 * who wait for a visit look whether its thread has ended, too.
 *
 * <p>Invariants: {@code visitors.size() <= slots.count()}; a slot is free iff it has no visitor; a
 * visitor knows its slot; nobody is inside a free slot.
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
    private final ArrayList<@Nullable V> visitors = new ArrayList<>();
    private final ArrayDeque<Integer> free = new ArrayDeque<>();
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
        for (int i = Math.min(LOOK_AT, visitors.size()); i > 0; i--) {
            next = next + 1 < visitors.size() ? next + 1 : 0;
            buryIfEnded(next);
        }
        if (free.isEmpty()) {
            slots.append(signals);
            adopt();
        }
        int slot = free.peekFirst();
        V visitor = maker.make(owner, new Visitor.Place(slot, slots.get(slot)));
        visitors.set(slot, visitor);
        free.removeFirst();
        VarHandle.fullFence();
        return visitor;
    }

    /** Knows a slot that was added; also one whose adoption failed before, for want of memory. */
    private void adopt() {
        while (visitors.size() < slots.count()) {
            visitors.ensureCapacity(visitors.size() + 1);
            free.addLast(visitors.size());
            visitors.add(null); // cannot fail any more
        }
    }

    /** The visitor of a living thread with this id; null if it has none. */
    synchronized @Nullable V find(long ownerId) {
        for (V visitor : visitors) {
            if (visitor != null && visitor.ownerId() == ownerId) {
                return visitor;
            }
        }
        return null;
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
        for (int slot = 0; slot < visitors.size(); slot++) {
            buryIfEnded(slot);
            V visitor = visitors.get(slot);
            if (visitor != null) {
                visitor.observeLocked(now);
            }
        }
    }

    private void buryIfEnded(int slot) {
        V visitor = visitors.get(slot);
        if (visitor == null || !visitor.ended()) {
            return;
        }
        if (Visit.isInside(visit(slot))) {
            visitor.endVisit();
            endedInside++;
        }
        free.addLast(slot);
        visitors.set(slot, null);
    }

    /** Who is there. */
    synchronized Count count() {
        long now = System.nanoTime();
        int inside = 0;
        long longest = -1;
        GateStatistics.Insider insider = null;
        for (V visitor : visitors) {
            long nanos = visitor == null ? -1 : visitor.observeLocked(now);
            if (visitor == null || nanos < 0) {
                continue;
            }
            inside++;
            Thread owner = visitor.owner();
            if (nanos > longest && owner != null) {
                longest = nanos;
                insider = new GateStatistics.Insider(name(owner), nanos);
            }
        }
        int threads = visitors.size() - free.size();
        return new Count(threads, visitors.size(), inside, endedInside, insider);
    }

    /** A thread may have a name of no characters. */
    private static String name(Thread thread) {
        String name = thread.getName();
        return name.isEmpty() ? "thread #" + thread.threadId() : name;
    }

    /** Checks the invariants, and that every slot has at least these signals. */
    synchronized void verify(long expected) {
        check((signals & expected) == expected, "signals are those expected");
        Set<Integer> freeSlots = new HashSet<>(free);
        check(visitors.size() <= slots.count(), "visitors have slots");
        check(freeSlots.size() == free.size(), "no slot is free twice");
        for (int slot = 0; slot < visitors.size(); slot++) {
            V visitor = visitors.get(slot);
            check((visitor == null) == freeSlots.contains(slot), "free iff without visitor");
            check(visitor == null || visitor.slot() == slot, "a visitor knows its slot");
            check(visitor != null || !Visit.isInside(visit(slot)), "a free slot is empty");
            check(
                    (Slots.signalsAcquire(slots.get(slot)) & signals) == signals,
                    "every slot has the signals of all");
        }
    }

    /** Checks that nobody is inside. */
    synchronized void verifyEmpty() {
        for (int slot = 0; slot < visitors.size(); slot++) {
            check(!Visit.isInside(visit(slot)), "nobody is inside");
        }
    }

    private long visit(int slot) {
        return Slots.visitAcquire(slots.get(slot));
    }

    private void check(boolean holds, String rule) {
        if (holds) {
            return;
        }
        StringBuilder dump = new StringBuilder(rule).append(": free=").append(free);
        for (int slot = 0; slot < slots.count(); slot++) {
            V visitor = slot < visitors.size() ? visitors.get(slot) : null;
            dump.append("; slot=").append(slot);
            dump.append(", visit=0x").append(Long.toHexString(visit(slot)));
            dump.append(", owner=").append(visitor == null ? "none" : visitor.ownerId());
        }
        throw new AssertionError(dump.toString());
    }
}
