package io.polder.block;

import org.jspecify.annotations.Nullable;

/**
 * Blocks that were freed and are not used again for a while, so that it is found if they are used
 * nevertheless.
 *
 * <pre>{@code
 *   first[class]  -->  block --> block --> block  <--  last[class]      freed first, used first
 * }</pre>
 *
 * <p>For the space of blocks they are used: nothing is linked in their memory.
 *
 * <p>Invariants: each block here is not used; {@code bytes} is what those of a class have.
 *
 * <p><b>Errors.</b> A block comes and goes by stores after which nothing is called.
 *
 * <p>Guarded by the lock of {@link CheckedBlocks}.
 */
final class Quarantine {
    /** As many of a class wait at least before the first is used again. Guessed. */
    static final int COUNT_MIN = 256;

    /** Or as many bytes of a class. Guessed. */
    private static final long BYTES_MIN = 1 << 20;

    /** More of blocks that are pages does not wait. Guessed. */
    private static final long LARGE_BYTES_MAX = 64 << 20;

    final @Nullable CheckedBlock[] first = new @Nullable CheckedBlock[SizeClass.COUNT + 1];
    final @Nullable CheckedBlock[] last = new @Nullable CheckedBlock[SizeClass.COUNT + 1];
    final int[] counts = new int[SizeClass.COUNT + 1];
    final long[] bytes = new long[SizeClass.COUNT + 1];

    /** Frees a block: from here on it is not used. */
    void add(CheckedBlock block) {
        int at = block.checks.span.sizeClass;
        CheckedBlock before = last[at];
        block.used = false;
        block.next = null;
        block.previous = before;
        if (before == null) {
            first[at] = block;
        } else {
            before.next = block;
        }
        last[at] = block;
        counts[at]++;
        bytes[at] += block.checks.span.blockBytes;
        block.checks.waiting++;
        block.checks.idle = false;
    }

    /** A block leaves. */
    void remove(CheckedBlock block) {
        int at = block.checks.span.sizeClass;
        CheckedBlock before = block.previous;
        CheckedBlock after = block.next;
        if (before == null) {
            first[at] = after;
        } else {
            before.next = after;
        }
        if (after == null) {
            last[at] = before;
        } else {
            after.previous = before;
        }
        counts[at]--;
        bytes[at] -= block.checks.span.blockBytes;
        block.checks.waiting--;
        block.checks.idle = false;
        block.next = null;
        block.previous = null;
    }

    /** The block of a class that was freed first, if it has waited long enough. */
    @Nullable CheckedBlock ready(int sizeClass) {
        return counts[sizeClass] > COUNT_MIN || bytes[sizeClass] > BYTES_MIN
                ? first[sizeClass]
                : null;
    }

    /** A block that is a page and need not wait any longer. */
    @Nullable CheckedBlock largeTooMuch() {
        return bytes[SizeClass.COUNT] > LARGE_BYTES_MAX ? first[SizeClass.COUNT] : null;
    }
}
