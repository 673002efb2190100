package io.polder.memory;

/**
 * Finds out whether there is stack left, before something begins that must not end for want of it.
 *
 * <p>Where a change of our own is cut off by a {@link StackOverflowError}, a record says so, and
 * the next thread mends it. Code of the JDK leaves no such record: a shared arena whose close is
 * cut off between its two steps counts as closed while other threads still write to it. So whoever
 * calls such code looks first.
 *
 * <p>HotSpot's <i>stack banging</i>: a method touches the stack at its entry, below what it needs
 * itself. This one calls itself until {@link #BYTES} are used, and returns. It takes a few hundred
 * nanoseconds, so it is for rare and slow calls.
 *
 * <p>Thread-safe: it has no state.
 */
public final class StackBang {
    /** How much stack there is when {@link #ensure} returns, in bytes, at least. */
    public static final int BYTES = 8 << 10;

    /**
     * The least that a call takes of the stack: a return address and a frame pointer. In the
     * interpreter it is six times as much.
     */
    private static final int CALL_BYTES = 16;

    private StackBang() {}

    /**
     * Returns if {@link #BYTES} of stack are left.
     *
     * @throws StackOverflowError if not; nothing has been done then
     */
    public static void ensure() {
        bangAll(BYTES / CALL_BYTES);
    }

    /**
     * Whether so many bytes of stack are left: for what needs more than {@link #BYTES}. It leaves
     * what it touched to the thread as memory, so it is for calls that are made once.
     *
     * @param bytes how many; in the interpreter, six times as many must be left
     */
    static boolean hasLeft(int bytes) {
        try {
            bangAll(bytes / CALL_BYTES);
            return true;
        } catch (StackOverflowError notLeft) {
            return false;
        }
    }

    private static void bangAll(int calls) {
        int came = bang(calls);
        if (came != calls) {
            throw new AssertionError("every call must return: calls=" + calls + ", came=" + came);
        }
    }

    /** Uses the result of its call, so that no compiler makes a loop of it. */
    private static int bang(int calls) {
        return calls == 0 ? 0 : 1 + bang(calls - 1);
    }
}
