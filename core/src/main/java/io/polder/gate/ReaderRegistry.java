package io.polder.gate;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Knows the readers of all platform threads, and gives their slots to others once they have ended.
 *
 * <p>There is no hook for the end of a thread. So a thread that registers, and looks through all
 * slots for that, reaps those whose thread has ended. A thread that waits for a reader looks
 * whether that has ended, too.
 *
 * <p>Invariants: a slot is free iff it has no reader; no free slot has a critical section.
 *
 * <p>Failure: one store gives a slot a reader, one takes it; all else can be done again.
 *
 * <p>Ordering: a slot is published before its first use, and the registration ends with a full
 * fence. So a thread whose slot a waiter does not see reads all that was written before the wait. A
 * slot goes from one thread to another under the lock; all that a thread did happens before it is
 * seen to have ended.
 *
 * <p>Thread-safe: one lock, held for a look at all slots; to end a critical section under it may
 * wake others.
 */
final class ReaderRegistry {
    final Slots slots;
    private final ReaderWait readerWait;
    private final Stripes stripes;
    private @Nullable Accessor[] readers = new @Nullable Accessor[8]; // as many as slots, or more
    long signals;

    /** How many critical sections were ended because their thread had. */
    long endedInside;

    /**
     * No reader yet.
     *
     * @param slots where readers will be, none yet
     * @param readerWait what they wake when they leave
     * @param stripes where those without a slot are counted
     */
    ReaderRegistry(Slots slots, ReaderWait readerWait, Stripes stripes) {
        this.slots = slots;
        this.readerWait = readerWait;
        this.stripes = stripes;
    }

    /** The reader of this thread, which is the running one and not virtual. */
    synchronized Accessor findOrRegister(Thread owner) {
        int count = slots.count();
        int free = count;
        for (int slot = count - 1; slot >= 0; slot--) {
            reapIfEnded(slot);
            Accessor reader = reader(slot);
            if (reader == null) {
                free = slot;
            } else if (reader.isOf(owner)) {
                return reader;
            }
        }
        if (free == count) {
            slots.append(signals);
        }
        if (slots.count() > readers.length) {
            readers = Arrays.copyOf(readers, 2 * slots.count());
        }
        Accessor reader = Accessor.inSlot(owner, readerWait, slots.get(free), stripes);
        VarHandle.fullFence();
        readers[free] = reader;
        return reader;
    }

    @Nullable Accessor reader(int slot) {
        return slot < readers.length ? readers[slot] : null;
    }

    /**
     * Whether a critical section in a slot was about to be ended by its thread, and was cut short.
     */
    synchronized boolean isNotEnded(int slot, long section) {
        Accessor reader = reader(slot);
        return reader != null && reader.isNotEnded(section);
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

    /** Ends the critical sections of threads that have ended, and remembers who is inside. */
    synchronized void reapEnded() {
        long now = System.nanoTime();
        for (int slot = 0; slot < slots.count(); slot++) {
            reapIfEnded(slot);
            Accessor reader = reader(slot);
            if (reader != null) {
                reader.observeLocked(now);
            }
        }
    }

    private void reapIfEnded(int slot) {
        Accessor reader = reader(slot);
        if (reader == null || !reader.ended()) {
            return;
        }
        if (CriticalSection.isInside(Slots.sectionAcquire(slots.get(slot)))) {
            reader.endSection();
            endedInside++;
        }
        readers[slot] = null;
    }

    /** The reader that has been seen inside the longest; null if nobody is known to be. */
    synchronized GateStatistics.@Nullable Insider longestInside() {
        long now = System.nanoTime();
        long longest = -1;
        GateStatistics.Insider insider = null;
        for (int slot = 0; slot < slots.count(); slot++) {
            Accessor reader = reader(slot);
            long nanos = reader == null ? -1 : reader.observeLocked(now);
            Thread owner = reader == null ? null : reader.owner.get();
            if (nanos > longest && owner != null) {
                longest = nanos;
                insider = new GateStatistics.Insider(name(owner), nanos);
            }
        }
        return insider;
    }

    /** A thread may have a name of no characters. */
    private static String name(Thread thread) {
        String name = thread.getName();
        return name.isEmpty() ? "thread #" + thread.threadId() : name;
    }
}
