package io.polder.block;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.stream.Stream;

/**
 * Blocks that were freed and are not used again for a while, so that it is found if they are used
 * nevertheless. Of each class, what was freed first is used first.
 *
 * <p>For the space of blocks they are used: nothing is linked in their memory.
 *
 * <p>Invariants: each block here is not used; {@code bytes} is what those of a class have.
 *
 * <p><b>Errors.</b> A block comes and goes by a call, for which the caller makes sure that there is
 * stack, and by stores after it.
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

    /** Those of each class, and of blocks that are pages. */
    final List<LinkedHashSet<CheckedBlock>> blocks =
            Stream.generate(LinkedHashSet<CheckedBlock>::new).limit(SizeClass.COUNT + 1).toList();

    final long[] bytes = new long[SizeClass.COUNT + 1];

    /** Frees a block: from here on it is not used. */
    void add(CheckedBlock block) {
        Span span = block.span;
        blocks.get(span.sizeClass).add(block);
        block.used = false;
        bytes[span.sizeClass] += span.blockBytes;
        span.waiting++;
        span.idle = false;
    }

    /** A block is used again, for so many bytes. */
    void use(CheckedBlock block, long asked) {
        remove(block);
        block.freed = null;
        block.bytes = asked;
        block.used = true;
    }

    /** A block leaves. */
    void remove(CheckedBlock block) {
        Span span = block.span;
        blocks.get(span.sizeClass).remove(block);
        bytes[span.sizeClass] -= span.blockBytes;
        span.waiting--;
        span.idle = false;
    }

    /** The block of a class that was freed first; null if there is none. */
    @Nullable CheckedBlock first(int sizeClass) {
        LinkedHashSet<CheckedBlock> all = blocks.get(sizeClass);
        return all.isEmpty() ? null : all.getFirst();
    }

    /** The block of a class that was freed first, if it has waited long enough. */
    @Nullable CheckedBlock ready(int sizeClass) {
        boolean enough = blocks.get(sizeClass).size() > COUNT_MIN || bytes[sizeClass] > BYTES_MIN;
        return enough ? first(sizeClass) : null;
    }

    /** A block that is a page and need not wait any longer. */
    @Nullable CheckedBlock largeTooMuch() {
        return bytes[SizeClass.COUNT] > LARGE_BYTES_MAX ? first(SizeClass.COUNT) : null;
    }
}
