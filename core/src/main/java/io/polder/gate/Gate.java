package io.polder.gate;

/**
 * What threads pass so that they are counted; it can be closed and waited on.
 *
 * <pre>{@code
 *   outside --enter--> inside --enter--> inside, once more      a visit: from the first enter
 *      ^                  |  ^                |                         to the last leave
 *      +------leave-------+  +-----leave------+
 *
 *   open --close--> closed: nobody enters; close waits for those inside --reopen--> open
 * }</pre>
 *
 * <p><b>Two ways to wait.</b> {@link #awaitEarlier} is a grace period: it waits for the visits that
 * had begun when it was called, and holds nobody up. {@link #close} lets no visit begin any more
 * and then waits for those that had. When either returns, all that those visits did happened
 * before, and whatever the caller did before the call is seen by every visit that was not waited
 * for.
 *
 * <p><b>A closed gate.</b> {@link #tryEnter} returns false, {@link #enter} waits until the gate is
 * reopened. A thread that is inside may enter again whether or not the gate is closed: it is being
 * waited for anyway, and would else wait for itself.
 *
 * <p><b>Closing from inside.</b> A thread that is inside must not wait for those inside: {@link
 * #close} and {@link #awaitEarlier} throw. {@link #closeFromInside} gives up the visit first. The
 * thread is outside then; the {@link #leave} of each scope it was in is still to be called and does
 * nothing, and {@link #isInside} tells such a scope that it lost its visit.
 *
 * <p><b>Several closers.</b> A close of a closed gate waits for those inside, too; one {@link
 * #reopen} opens the gate, however many have closed it.
 *
 * <p><b>Inside.</b> A thread may block, but whoever waits for it waits as long. It may end inside,
 * which is a mistake: the visit of a platform thread that has ended is found and ended by those who
 * wait, that of a virtual thread is not, and is waited for for ever. So {@code leave} belongs
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
 * <p>Thread-safe. A visit belongs to its thread.
 */
public sealed interface Gate permits AbstractGate {

    /** Begins a visit, or enters once more; waits while the gate is closed. */
    void enter();

    /** Begins a visit, or enters once more; false, and not inside, if the gate is closed. */
    boolean tryEnter();

    /**
     * Takes back one {@code enter}; the last one ends the visit.
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
     * Waits until every visit has ended that had begun before the call.
     *
     * @throws IllegalStateException if the running thread is inside
     */
    void awaitEarlier();

    /**
     * Lets no visit begin any more, and waits until every visit has ended. Until the gate is
     * reopened nobody is inside when this returns.
     *
     * @throws IllegalStateException if the running thread is inside
     */
    void close();

    /** Gives up the visit of the running thread, if it is inside, and {@link #close closes}. */
    void closeFromInside();

    /**
     * Lets visits begin again.
     *
     * @throws IllegalStateException if no {@code close} has returned since the gate was open
     */
    void reopen();

    /** Whether the gate is closed, or about to be: who is inside may ask in order to hurry. */
    boolean isClosed();

    /** What has been counted, and who is inside the longest. Costs visitors nothing. */
    GateStatistics statistics();

    /**
     * Checks what holds at every moment.
     *
     * @throws AssertionError if it does not, with a dump
     */
    void verify();

    /**
     * Checks what holds while no thread is inside or on its way.
     *
     * @throws AssertionError if it does not, with a dump
     */
    void verifyEmpty();
}
