package io.polder.arena;

/** Argument checks of arenas, with the JDK's exceptions and wording. */
public final class Arguments {
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

    private static IllegalArgumentException refusal(long byteSize, long byteAlignment) {
        return new IllegalArgumentException(
                byteSize < 0
                        ? "The provided allocation size is negative: " + byteSize
                        : "Invalid alignment constraint : " + byteAlignment);
    }
}
