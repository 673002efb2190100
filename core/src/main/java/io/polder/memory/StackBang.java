package io.polder.memory;

/**
 * Finds out whether there is stack left, before something begins that must not end for want of it.
 *
 * <p>Where a change of our own is cut short by a {@link StackOverflowError}, a record says so, and
 * the next thread mends it. Code of the JDK leaves no such record: a shared arena whose close is
 * cut short between its two steps counts as closed while other threads still write to it. So the
 * thread that calls such code looks first.
 *
 * <p>HotSpot's <i>stack banging</i>: a method touches the stack at its entry, below what it needs
 * itself. {@link #bang} calls itself until {@link #BYTES} are used, and returns. It has so many
 * arguments that some dozens of calls are enough, and that a frame is about as large in the
 * interpreter and out of it: what the check asks for beyond {@link #BYTES} is not there in threads
 * with small stacks. It takes some 200 nanoseconds, so it is for rare and slow calls.
 *
 * <p>Thread-safe: it has no state.
 */
public final class StackBang {
    /** How much stack there is when {@link #ensure} returns, in bytes, at least. */
    public static final int BYTES = 8 << 10;

    /**
     * The least that a call takes of the stack, which is what it takes where C2 has compiled it:
     * the arguments of {@link #bang} that registers do not hold, 25 words at least, the address to
     * return to, and a frame pointer. In the interpreter, and compiled by C1, a call takes up to
     * 464 bytes on x86-64: measured.
     */
    private static final int CALL_BYTES = 27 * 8;

    private StackBang() {}

    /**
     * Returns if {@link #BYTES} of stack are left.
     *
     * @throws StackOverflowError if not; nothing has been done then
     */
    public static void ensure() {
        ensure(BYTES);
    }

    /** As {@link #ensure()}, for so many bytes. */
    static void ensure(int bytes) {
        int calls = bytes / CALL_BYTES;
        int came =
                bang(
                        calls, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                        0, 0, 0, 0, 0, 0, 0, 0, 0);
        if (came != calls) {
            throw new AssertionError("every call must return: calls=" + calls + ", came=" + came);
        }
    }

    /**
     * Whether so many bytes of stack are left: for what needs more than {@link #BYTES}. For 64 KiB
     * it takes some microseconds, and what it touched stays the thread's as memory: so it is for
     * calls that are made now and then.
     *
     * @param bytes how many; in some code twice as many must be left
     */
    static boolean hasLeft(int bytes) {
        try {
            ensure(bytes);
            return true;
        } catch (StackOverflowError notLeft) {
            return false;
        }
    }

    /**
     * Returns the number of calls, if all other arguments are 0. Each call uses the result of the
     * next, so that no compiler makes a loop of them. It is longer than what HotSpot inlines into a
     * hot caller ({@code FreqInlineSize}), so that each call has a frame of its own.
     */
    private static int bang(
            int calls,
            int a1,
            int a2,
            int a3,
            int a4,
            int a5,
            int a6,
            int a7,
            int a8,
            int b1,
            int b2,
            int b3,
            int b4,
            int b5,
            int b6,
            int b7,
            int b8,
            int c1,
            int c2,
            int c3,
            int c4,
            int c5,
            int c6,
            int c7,
            int c8,
            int d1,
            int d2,
            int d3,
            int d4,
            int d5,
            int d6,
            int d7,
            int d8) {
        if (calls > 0) {
            return 1
                    + bang(
                            calls - 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        }
        int sum = a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8;
        sum += b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8;
        sum += c1 + c2 + c3 + c4 + c5 + c6 + c7 + c8;
        sum += d1 + d2 + d3 + d4 + d5 + d6 + d7 + d8;
        int all = a1 | a2 | a3 | a4 | a5 | a6 | a7 | a8;
        all |= b1 | b2 | b3 | b4 | b5 | b6 | b7 | b8;
        all |= c1 | c2 | c3 | c4 | c5 | c6 | c7 | c8;
        all |= d1 | d2 | d3 | d4 | d5 | d6 | d7 | d8;
        int odd = a1 ^ a2 ^ a3 ^ a4 ^ a5 ^ a6 ^ a7 ^ a8;
        odd ^= b1 ^ b2 ^ b3 ^ b4 ^ b5 ^ b6 ^ b7 ^ b8;
        odd ^= c1 ^ c2 ^ c3 ^ c4 ^ c5 ^ c6 ^ c7 ^ c8;
        odd ^= d1 ^ d2 ^ d3 ^ d4 ^ d5 ^ d6 ^ d7 ^ d8;
        return sum == all && all == odd ? 0 : 1;
    }
}
