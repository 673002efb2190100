package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

import java.lang.foreign.ValueLayout;

/** What memory is filled with that nobody may write to: one byte, again and again. */
enum Pattern {
    /** In blocks that are free. */
    FREE(0xdf),

    /** Behind blocks that are used. */
    GUARD(0xab);

    private static final long EACH_BYTE = 0x0101_0101_0101_0101L;

    private final byte value;
    private final long word;

    Pattern(int value) {
        this.value = (byte) value;
        this.word = value * EACH_BYTE;
    }

    /** Fills memory. */
    void fill(long address, long bytes) {
        ADDRESS_SPACE.asSlice(address, bytes).fill(value);
    }

    /** The offset of the first byte that is another one; -1 if there is none. */
    long mismatch(long address, long bytes) {
        long at = 0;
        while (at + WORD.byteSize() <= bytes && ADDRESS_SPACE.get(WORD, address + at) == word) {
            at += WORD.byteSize();
        }
        while (at < bytes && byteAt(address + at) == value) {
            at++;
        }
        return at < bytes ? at : -1;
    }

    private static byte byteAt(long address) {
        return ADDRESS_SPACE.get(ValueLayout.JAVA_BYTE, address);
    }
}
