package io.polder;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Opens the first arena of a process, and says whether its memory is zero after the close. */
final class ClearProbe {
    private static final long BYTES = 100_000;

    private ClearProbe() {}

    @SuppressWarnings("restricted")
    public static void main(String[] args) {
        long address;
        try (Arena arena = MemoryPool.ofConfined()) {
            MemorySegment segment = arena.allocate(BYTES);
            segment.fill((byte) 1);
            address = segment.address();
        }
        MemorySegment left = MemorySegment.ofAddress(address).reinterpret(BYTES);
        System.out.println(Paint.isZero(left) ? "zero" : "not zero");
    }
}
