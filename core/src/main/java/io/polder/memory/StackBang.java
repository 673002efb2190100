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
 * itself. This one calls itself until {@link #BYTES} are used, and returns. So that some dozens of
 * calls are enough, which a processor can predict the returns of, each of them makes room for the
 * arguments of {@link #wide}, which only the last one calls. It takes some fifty nanoseconds, so it
 * is for rare and slow calls.
 *
 * <p>Thread-safe: it has no state.
 */
public final class StackBang {
    /** How much stack there is when {@link #ensure} returns, in bytes, at least. */
    public static final int BYTES = 8 << 10;

    /**
     * The least that a call takes of the stack, in the interpreter and out of it. In
     * compiled code a frame holds the arguments of {@link #wide} that registers do not, 24 words at
     * least; and a frame may be that of two calls, since compilers inline a recursive one once.
     */
    private static final int CALL_BYTES = 104;

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
     * @param bytes how many; in compiled code, some times as many must be left
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
        if (calls > 0) {
            return 1 + bang(calls - 1);
        }
        return wide(
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                0, 0, 0, 0);
    }

    /**
     * Returns 0, if all arguments are. Longer than what HotSpot inlines into a hot caller ({@code
     * FreqInlineSize}): otherwise its arguments would be nowhere.
     */
    private static int wide(
            long a1,
            long a2,
            long a3,
            long a4,
            long a5,
            long a6,
            long a7,
            long a8,
            long b1,
            long b2,
            long b3,
            long b4,
            long b5,
            long b6,
            long b7,
            long b8,
            long c1,
            long c2,
            long c3,
            long c4,
            long c5,
            long c6,
            long c7,
            long c8,
            long d1,
            long d2,
            long d3,
            long d4,
            long d5,
            long d6,
            long d7,
            long d8) {
        long sum = a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8;
        sum += b1 + b2 + b3 + b4 + b5 + b6 + b7 + b8;
        sum += c1 + c2 + c3 + c4 + c5 + c6 + c7 + c8;
        sum += d1 + d2 + d3 + d4 + d5 + d6 + d7 + d8;
        long all = a1 | a2 | a3 | a4 | a5 | a6 | a7 | a8;
        all |= b1 | b2 | b3 | b4 | b5 | b6 | b7 | b8;
        all |= c1 | c2 | c3 | c4 | c5 | c6 | c7 | c8;
        all |= d1 | d2 | d3 | d4 | d5 | d6 | d7 | d8;
        long odd = a1 ^ a2 ^ a3 ^ a4 ^ a5 ^ a6 ^ a7 ^ a8;
        odd ^= b1 ^ b2 ^ b3 ^ b4 ^ b5 ^ b6 ^ b7 ^ b8;
        odd ^= c1 ^ c2 ^ c3 ^ c4 ^ c5 ^ c6 ^ c7 ^ c8;
        odd ^= d1 ^ d2 ^ d3 ^ d4 ^ d5 ^ d6 ^ d7 ^ d8;
        long few = a1 & a2 & a3 & a4 & a5 & a6 & a7 & a8;
        few &= b1 & b2 & b3 & b4 & b5 & b6 & b7 & b8;
        few &= c1 & c2 & c3 & c4 & c5 & c6 & c7 & c8;
        few &= d1 & d2 & d3 & d4 & d5 & d6 & d7 & d8;
        return sum == all && all == odd && odd == few ? 0 : 1;
    }
}
