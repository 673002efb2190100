package io.polder.arena;

/** Argument checks of arenas, with the JDK's exceptions and wording. */
final class Arguments {
    private Arguments() {}

    /**
     * Checks what {@link java.lang.foreign.Arena#allocate(long, long)} was given.
     *
     * @throws IllegalArgumentException if {@code byteSize} is negative, or {@code byteAlignment} is
     *     not a power of two
     */
    static void checkAllocation(long byteSize, long byteAlignment) {
        if (byteSize < 0) {
            throw new IllegalArgumentException(
                    "The provided allocation size is negative: " + byteSize);
        }
        if (byteAlignment <= 0 || (byteAlignment & (byteAlignment - 1)) != 0) {
            throw new IllegalArgumentException("Invalid alignment constraint : " + byteAlignment);
        }
    }
}
