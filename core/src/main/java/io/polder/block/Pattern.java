package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What memory is filled with that nobody may write to: one byte, again and again. */
enum Pattern {
    /** In blocks that are free. */
    FREE(0xdf),

    /** Behind blocks that are used. */
    GUARD(0xab);

    private final byte value;

    Pattern(int value) {
        this.value = (byte) value;
    }

    /** Fills memory. */
    void fill(long address, long bytes) {
        ADDRESS_SPACE.asSlice(address, bytes).fill(value);
    }

    /** The offset of the first byte, of one or more, that is another one; -1 if there is none. */
    long mismatch(long address, long bytes) {
        if (ADDRESS_SPACE.get(ValueLayout.JAVA_BYTE, address) != value) {
            return 0;
        }
        MemorySegment memory = ADDRESS_SPACE.asSlice(address, bytes);
        long at = memory.asSlice(1).mismatch(memory.asSlice(0, bytes - 1)); // each with the next
        return at < 0 ? -1 : at + 1;
    }
}
