package io.polder.gate;

import org.jspecify.annotations.Nullable;

import java.lang.ref.WeakReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What threads pass so that others can wait for them; it can be closed.
 *
 * <p>The words are those of read-copy-update (RCU): a thread that is inside is a <i>reader</i> in a
 * <i>read-side critical section</i>, whatever it does there; it may well write.
 *
 * <pre>{@code
 *   outside --begin--> inside         a critical section: from a begin outside to its end, whatever
 *      ^                  |           begins and ends in between
 *      +-------end--------+
 *
 *            close                   it returns                   reopen
 *   open -----------------> closed -----------------> quiescent ------------> open
 *
 *   entries[threadId mod ENTRIES]  -->  Accessor, which carries its owner's id
 *                                          |
 *           id differs, or no entry  -->  ThreadLocal  -->  a new one, registered
 * }</pre>
 *
 * <p>A platform thread marks its critical sections in a slot of its own: one costs two stores and
 * two loads of memory that no other thread touches. Virtual threads share striped counters. How it
 * works: {@link GracePeriods}.
 *
 * <p><b>Two ways to wait.</b> {@link #synchronize} waits for a grace period: until the critical
 * sections have ended that had begun when it was called. It holds nobody up. {@link #close} lets no
 * critical section begin any more and then waits for those that had begun. When either returns, all
 * that those critical sections did happened before, and every critical section that was not waited
 * for sees what the caller did before the call.
 *
 * <p><b>A closed gate</b> lets in only threads that are inside: the closer waits for them anyway,
 * and the thread would else wait for itself.
 *
 * <p><b>Closing from inside.</b> A thread that is inside must not wait for readers: {@link #close}
 * and {@link #synchronize} throw. {@link #closeFromInside} first gives up the critical section. The
 * thread is outside then; the end of each scope it was in does nothing.
 *
 * <p><b>Several closers.</b> A close of a closed gate waits for readers, too; one {@link #reopen}
 * opens the gate, however many threads have closed it, and those that still wait go on waiting.
 *
 * <p><b>Inside.</b> A thread may block, but those who wait for it wait as long. A thread that ends
 * inside is a mistake: those who wait find a platform thread that has ended and end its critical
 * section; they cannot find a virtual thread, and wait for it for ever.
 *
 * <p><b>The look-up.</b> Ids are never used again, so an entry that a thread left behind cannot
 * match another thread. Entries are read and written without any order: a thread believes one only
 * if it carries the thread's own id, which is a final field, and that entry it wrote itself. So a
 * lost or late write costs a look-up, never a mistake.
 *
 * <p><b>Interrupts</b> end no wait; the thread is interrupted still when it returns.
 *
 * <p>Invariants: if the gate is not {@code closed}, the {@link GracePeriods} have no mark, and
 * critical sections can begin; if it is, all is marked, or a change was cut short.
 *
 * <p><b>Errors.</b> One in {@code inside} leaves the thread where it was, outside or inside. One in
 * {@code close} or {@code reopen} leaves the gate closed; some readers may be let in and others
 * not. It can be closed again, or reopened: either puts all marks first. A wait that is cut short
 * can be begun again.
 *
 * <p>Locking: the monitor guards {@code closed} and the marks, which change together. It is held
 * while readers are told, and not while anybody waits for them.
 *
 * <p>Thread-safe. A critical section belongs to its thread.
 */
public final class Gate {
    /** Four KiB of references: beyond this many live threads, some share an entry. */
    static final int ENTRIES = 1024;

    /** For virtual threads: so many for each processor, since only its carriers run. Guessed. */
    private static final int STRIPES_PER_PROCESSOR = 4;

    /** As many as threads of a large machine can use at once without meeting too often. */
    private static final int STRIPES_MAX = 64;

    private final @Nullable Accessor[] entries = new @Nullable Accessor[ENTRIES];

    @SuppressWarnings("ThreadLocalUsage") // one for each gate
    private final ThreadLocal<@Nullable Accessor> local = new ThreadLocal<>();

    final Stripes virtual = new Stripes(stripeCount(), new ReaderWait());
    final ReaderRegistry readers = new ReaderRegistry(virtual);
    private final GracePeriods gracePeriods;

    volatile boolean closed; // written under the monitor

    /**
     * An open gate.
     *
     * @param fence fences all threads, as {@link io.polder.memory.ProcessFence}
     */
    public Gate(Runnable fence) {
        this.gracePeriods = new GracePeriods(readers, virtual, fence);
    }

    /** The same with other grace periods. */
    Gate(GracePeriods gracePeriods) {
        this.gracePeriods = gracePeriods;
    }

    private static int stripeCount() {
        int wanted = STRIPES_PER_PROCESSOR * Runtime.getRuntime().availableProcessors();
        return Math.min(STRIPES_MAX, Integer.highestOneBit(2 * wanted - 1));
    }

    /**
     * The running thread's own way through this gate, for those who begin and end critical sections
     * themselves. Asking costs one look-up and makes nothing. May be kept as long as the thread
     * runs.
     */
    public Accessor accessor() {
        Thread current = Thread.currentThread();
        Accessor entry = entries[index(current)];
        return entry != null && entry.isOf(current) ? entry : findBehind(current);
    }

    /** Which entry a thread looks at. */
    static int index(Thread thread) {
        return (int) thread.threadId() & (ENTRIES - 1);
    }

    private Accessor findBehind(Thread current) {
        Accessor reader = local.get();
        if (reader == null) {
            reader =
                    current.isVirtual()
                            ? new Accessor(current, Slots.unshared(), virtual)
                            : readers.findOrRegister(current);
            local.set(reader);
        }
        int index = index(current);
        Accessor entry = entries[index];
        if (!current.isVirtual() && (entry == null || entry.ended())) {
            entries[index] = reader;
        }
        return reader;
    }

    /**
     * Does something in a critical section, or in a scope within one.
     *
     * <p><b>Errors.</b> An end that is cut short, for want of stack, takes effect nevertheless:
     * stores in place, which need no stack, say so, and a thread that waits, or the next {@code
     * begin}, finds that. So nothing need be thrown, and what was done inside is done.
     *
     * @param operation what to do: a constant, so that nothing is allocated
     * @param target what the operation gets
     * @param number what it gets as well
     * @param argument what it gets besides
     * @param whenClosed what to do instead, outside, if the gate is closed
     */
    public <T, A extends @Nullable Object, R extends @Nullable Object> R inside(
            Operation<T, A, R> operation,
            T target,
            long number,
            A argument,
            Supplier<? extends R> whenClosed) {
        Accessor accessor = accessor();
        long section = accessor.begin();
        if (section == 0) {
            return whenClosed.get();
        }
        try {
            return operation.run(target, number, argument);
        } finally {
            try {
                accessor.end(section);
            } catch (Throwable _) {
                accessor.notEnded = section;
                if (CriticalSection.COUNTED == (section & CriticalSection.COUNTED)) {
                    Stripes stripes = accessor.stripes;
                    synchronized (stripes) {
                        if (!accessor.listed) {
                            accessor.earlier = stripes.lastNotEnded;
                            stripes.lastNotEnded = accessor;
                            accessor.listed = true;
                        }
                    }
                }
            }
        }
    }

    /**
     * The same for what returns a number, and gets four. There is no shorter form: the compiler
     * inlines only so many calls within each other, and an access to a segment takes most of them.
     */
    public <T, A extends @Nullable Object> long insideAsLong(
            LongOperation<T, A> operation,
            T target,
            long first,
            long second,
            long third,
            long fourth,
            A argument,
            LongSupplier whenClosed) {
        Accessor accessor = accessor();
        long section = accessor.begin();
        if (section == 0) {
            return whenClosed.getAsLong();
        }
        try {
            return operation.run(target, first, second, third, fourth, argument);
        } finally {
            try {
                accessor.end(section);
            } catch (Throwable _) {
                accessor.notEnded = section;
                if (CriticalSection.COUNTED == (section & CriticalSection.COUNTED)) {
                    Stripes stripes = accessor.stripes;
                    synchronized (stripes) {
                        if (!accessor.listed) {
                            accessor.earlier = stripes.lastNotEnded;
                            stripes.lastNotEnded = accessor;
                            accessor.listed = true;
                        }
                    }
                }
            }
        }
    }

    /** What is done in a critical section. */
    public interface Operation<T, A extends @Nullable Object, R extends @Nullable Object> {
        /** Does it. */
        R run(T target, long number, A argument);
    }

    /** The same for what returns a number. */
    public interface LongOperation<T, A extends @Nullable Object> {
        /** Does it. */
        long run(T target, long first, long second, long third, long fourth, A argument);
    }

    /**
     * Has something done now and then by a thread that waits for readers who stay inside; it holds
     * locks of the gate then, and if this throws, its wait is cut short.
     *
     * @param target what it is done with; not kept, since threads keep what they need of the gate
     * @param action what is done; a constant, or at least nothing that keeps the target
     */
    public <T> void whileWaiting(T target, Consumer<T> action) {
        WeakReference<T> weak = new WeakReference<>(target);
        virtual.readerWait.whileWaiting =
                () -> {
                    T found = weak.get();
                    if (found != null) {
                        action.accept(found);
                    }
                };
    }

    /** Whether the running thread is inside. */
    public boolean isInside() {
        return accessor().isInside();
    }

    /**
     * Waits for a grace period: until every critical section has ended that had begun before the
     * call.
     *
     * @throws IllegalStateException if the running thread is inside
     */
    public void synchronize() {
        checkOutside();
        gracePeriods.synchronize();
    }

    /**
     * Lets no critical section begin any more, and waits until all have ended. When this returns,
     * nobody is inside until the gate is reopened.
     *
     * @throws IllegalStateException if the running thread is inside
     */
    public void close() {
        checkOutside();
        closeOutside();
    }

    /**
     * Ends the critical section of the running thread, if it is in one, and {@link #close closes}.
     */
    public void closeFromInside() {
        accessor().giveUp();
        closeOutside();
    }

    private void closeOutside() {
        synchronized (this) {
            closed = true;
            gracePeriods.mark();
        }
        gracePeriods.synchronize();
    }

    /**
     * Lets critical sections begin again, once nobody is inside: {@link #close closes} before.
     *
     * @throws IllegalStateException if the running thread is inside
     */
    public void reopen() {
        close();
        synchronized (this) {
            gracePeriods.unmark();
            closed = false;
        }
    }

    /** Whether the gate is closed, or about to be: a reader may ask in order to hurry. */
    public boolean isClosed() {
        return closed;
    }

    /** The reader that is inside the longest; null if none is known to be. */
    public @Nullable Insider longestInside() {
        return readers.longestInside();
    }

    private void checkOutside() {
        if (isInside()) {
            throw new IllegalStateException(
                    "a thread must not wait for itself: it is inside: thread="
                            + Thread.currentThread());
        }
    }
}
