package io.polder.gate;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Knows the readers of all platform threads, until these have ended.
 *
 * <p>There is no hook for the end of a thread. So a thread that registers forgets the readers whose
 * thread has ended, each time when there are an eighth more than were left then: to ask all threads
 * is most of what it would take. Who waits for a reader looks whether its thread has ended, too.
 *
 * <p>Invariant: one that is not there has no critical section.
 *
 * <p>Failure: one store makes a reader known, one forgets some; all else can be done again.
 *
 * <p>Ordering: a reader is published before its first use, and the registration ends with a full
 * fence. So a thread whose reader a waiter does not see reads all that was written before the wait.
 * All that a thread did happens before it is seen to have ended, and its reader is forgotten.
 *
 * <p>Thread-safe: one lock, held for a look at all readers; to end a critical section under it may
 * wake others.
 */
final class ReaderRegistry {
    private final Stripes stripes;

    /** Replaced under the lock, and never changed: so who waits may look at any time. */
    volatile Accessor[] readers = {};

    long signals;

    /** With so many readers who registers looks whether their threads have ended. */
    private int lookFrom;

    /** How many critical sections were ended because their thread had. */
    long endedInside;

    /**
     * No reader yet.
     *
     * @param stripes where those without a slot are counted
     */
    ReaderRegistry(Stripes stripes) {
        this.stripes = stripes;
    }

    /** The reader of this thread, which is the running one and not virtual. */
    synchronized Accessor findOrRegister(Thread owner) {
        Accessor found = null;
        for (Accessor reader : readers.length < lookFrom ? readers : livingLocked()) {
            found = reader.isOf(owner) ? reader : found;
        }
        if (found == null) {
            found = new Accessor(owner, Slots.slot(signals), stripes);
            Accessor[] more = Arrays.copyOf(readers, readers.length + 1);
            more[readers.length] = found;
            readers = more;
        }
        VarHandle.fullFence(); // also if the last registration was cut short before it
        return found;
    }

    /** Ends the critical sections of threads that have ended, and forgets these, all at once. */
    private Accessor[] livingLocked() {
        List<Accessor> living = new ArrayList<>(Arrays.asList(readers));
        if (living.removeIf(this::giveUpIfEnded)) {
            readers = living.toArray(new Accessor[0]);
        }
        lookFrom = readers.length + readers.length / 8;
        return readers;
    }

    private boolean giveUpIfEnded(Accessor reader) {
        boolean ended = reader.ended();
        endedInside += ended && reader.giveUp() ? 1 : 0;
        return ended;
    }

    /** Puts a signal into every slot that is there or will be. */
    synchronized void addSignal(long signal) {
        signals |= signal;
        for (Accessor reader : readers) {
            Slots.addSignal(reader.words, signal);
        }
    }

    /** Takes a signal from every slot that is there or will be. */
    synchronized void removeSignal(long signal) {
        signals &= ~signal;
        for (Accessor reader : readers) {
            Slots.removeSignal(reader.words, signal);
        }
    }

    /** Ends the critical sections of threads that have ended, and remembers who is inside. */
    synchronized void reapEnded() {
        long now = System.nanoTime();
        for (Accessor reader : livingLocked()) {
            reader.observeLocked(now);
        }
    }

    /** The reader that has been seen inside the longest; null if nobody is known to be. */
    synchronized @Nullable Insider longestInside() {
        long now = System.nanoTime();
        long longest = -1;
        Insider insider = null;
        for (Accessor reader : readers) {
            long nanos = reader.observeLocked(now);
            Thread owner = reader.owner.get();
            if (nanos > longest && owner != null) {
                longest = nanos;
                insider = new Insider(name(owner), nanos);
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
