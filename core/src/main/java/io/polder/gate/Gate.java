package io.polder.gate;

/**
 * What threads pass so that others can wait for them; it can be closed.
 *
 * <p>The words are those of read-copy-update (RCU): a thread that is inside is a <i>reader</i> in a
 * <i>read-side critical section</i>, whatever it does there; it may well write.
 *
 * <pre>{@code
 *   outside --enter--> inside --enter--> inside, nested         a critical section: from the first
 *      ^                  |  ^              |                     enter to the last leave
 *      +------leave-------+  +----leave-----+
 *
 *   open --close--> closed: nobody enters; close waits for readers --reopen--> open
 * }</pre>
 *
 * <p><b>Two ways to wait.</b> {@link #synchronize} waits for a grace period: until the critical
 * sections have ended that had begun when it was called. It holds nobody up. {@link #close} lets no
 * critical section begin any more and then waits for those that had begun. When either returns, all
 * that those critical sections did happened before, and every critical section that was not waited
 * for sees what the caller did before the call.
 *
 * <p><b>A closed gate.</b> {@link #tryEnter} returns false, {@link #enter} waits until the gate is
 * reopened. A thread that is inside may enter again whether or not the gate is closed: the closer
 * waits for it anyway, and the thread would else wait for itself.
 *
 * <p><b>Closing from inside.</b> A thread that is inside must not wait for readers: {@link #close}
 * and {@link #synchronize} throw. {@link #closeFromInside} first gives up the critical section. The
 * thread is outside then; it still calls {@link #leave} for each scope it was in, which does
 * nothing, and {@link #isInside} tells such a scope that its critical section is over.
 *
 * <p><b>Several closers.</b> A close of a closed gate waits for readers, too; one {@link #reopen}
 * opens the gate, however many threads have closed it.
 *
 * <p><b>Inside.</b> A thread may block, but whoever waits for it waits as long. A thread that ends
 * inside is a mistake: those who wait find a platform thread that has ended and end its critical
 * section; they cannot find a virtual thread, and wait for it for ever. So {@code leave} belongs
 * into a {@code finally}.
 *
 * <p><b>Interrupts</b> end no wait; the thread is interrupted still when it returns.
 *
 * <p><b>Errors.</b> An {@link Error} in {@code enter} leaves the thread outside, one in {@code
 * leave} may leave it inside; {@link Accessor} shows how to leave nevertheless. One in {@code
 * close} leaves the gate closed; it can be closed again, and must be before it is reopened. One in
 * {@code reopen} leaves it closed as well; it can be reopened again. A wait that is cut off can be
 * begun again.
 *
 * <p>Thread-safe. A critical section belongs to its thread.
 */
public sealed interface Gate permits AbstractGate {

    /** Begins a critical section, or enters once more; waits while the gate is closed. */
    void enter();

    /**
     * Begins a critical section, or enters once more; false, and outside, if the gate is closed.
     */
    boolean tryEnter();

    /**
     * Takes back one {@code enter}; the last one ends the critical section.
     *
     * @throws IllegalStateException if there is none to take back in this thread
     */
    void leave();

    /** Whether the running thread is inside. */
    boolean isInside();

    /**
     * The running thread's own way through this gate, which does not look the thread up each time.
     * Asking costs that one look-up and makes nothing. May be kept as long as the thread runs.
     */
    Accessor accessor();

    /**
     * Waits for a grace period: until every critical section has ended that had begun before the
     * call.
     *
     * @throws IllegalStateException if the running thread is inside
     */
    void synchronize();

    /**
     * Lets no critical section begin any more, and waits until all have ended. When this returns,
     * nobody is inside until the gate is reopened.
     *
     * @throws IllegalStateException if the running thread is inside
     */
    void close();

    /**
     * Ends the critical section of the running thread, if it is in one, and {@link #close closes}.
     */
    void closeFromInside();

    /**
     * Lets critical sections begin again.
     *
     * @throws IllegalStateException if no {@code close} has returned since the gate was open
     */
    void reopen();

    /** Whether the gate is closed, or about to be: a reader may ask in order to hurry. */
    boolean isClosed();

    /** What was counted, and which thread is inside the longest. Costs readers nothing. */
    GateStatistics statistics();
}
