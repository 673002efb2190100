package io.polder.arena;

/** Checks of arenas, with the JDK's exceptions and wording. */
public final class Arguments {
    /** What the JDK says of an arena that is closed. */
    public static final String CLOSED = "Already closed";

    /** What it says to a thread that is not the arena's. */
    public static final String OTHER_THREAD = "Attempted access outside owning thread";

    private Arguments() {}

    /**
     * Checks what {@link java.lang.foreign.Arena#allocate(long, long)} was given.
     *
     * @throws IllegalArgumentException if {@code byteSize} is negative, or {@code byteAlignment} is
     *     not a power of two
     */
    public static void checkAllocation(long byteSize, long byteAlignment) {
        if ((byteSize | byteAlignment) < 0 || Long.bitCount(byteAlignment) != 1) {
            throw refusal(byteSize, byteAlignment);
        }
    }

    /**
     * What is thrown for an arena that is not the running thread's, or whose close has begun.
     *
     * @param owner the id of its thread, negative in the second case
     */
    static RuntimeException noAccess(long owner) {
        return Thread.currentThread().threadId() == -owner
                ? new IllegalStateException(CLOSED)
                : new WrongThreadException(OTHER_THREAD);
    }

    private static IllegalArgumentException refusal(long byteSize, long byteAlignment) {
        return new IllegalArgumentException(
                byteSize < 0
                        ? "The provided allocation size is negative: " + byteSize
                        : "Invalid alignment constraint : " + byteAlignment);
    }
}
