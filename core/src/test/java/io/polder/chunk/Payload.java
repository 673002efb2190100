package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Bytes of chunks: painted, compared, or zero. */
final class Payload {

    @SuppressWarnings("restricted")
    private static final MemorySegment ADDRESS_SPACE =
            MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private Payload() {}

    static void paint(long address, long bytes, byte paint) {
        ADDRESS_SPACE.asSlice(address, bytes).fill(paint);
    }

    static void assertPainted(long address, long bytes, byte paint) {
        assertThat(isFilled(address, bytes, paint))
                .as("bytes=%d at 0x%x hold %d", bytes, address, paint)
                .isTrue();
    }

    static void assertZero(long address, long bytes) {
        assertPainted(address, bytes, (byte) 0);
    }

    static void assertZero(long chunk) {
        assertZero(Chunk.address(chunk), Chunk.bytes(chunk));
    }

    private static boolean isFilled(long address, long bytes, byte value) {
        if (bytes == 0) {
            return true;
        }
        MemorySegment memory = ADDRESS_SPACE.asSlice(address, bytes);
        // Each byte equals the one after it.
        return memory.get(ValueLayout.JAVA_BYTE, 0) == value
                && memory.asSlice(0, bytes - 1).mismatch(memory.asSlice(1)) == -1;
    }
}
