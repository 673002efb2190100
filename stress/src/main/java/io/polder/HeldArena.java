package io.polder;

import io.polder.stress.everywhere.Paint;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * An arena that a program has, of any kind, with all that was allocated: painted, each segment
 * differently.
 */
final class HeldArena {
    private static long painted;

    /** What does the allocating, and what is closed: for most one object. */
    private final SegmentAllocator allocator;

    private final AutoCloseable closeable;
    private final List<Segment> segments = new ArrayList<>();

    /** What may have been freed or not, since the attempt was cut short. */
    private @Nullable MemorySegment unsure;

    private boolean closing;
    private boolean closed;

    private record Segment(MemorySegment memory, long seed) {}

    HeldArena(Arena arena) {
        this.allocator = arena;
        this.closeable = arena;
    }

    HeldArena(FreeingArena arena) {
        this.allocator = arena;
        this.closeable = arena;
    }

    /** The arena, if it is not a freeing one. */
    Arena arena() {
        return (Arena) closeable;
    }

    /** Allocates a segment, which must read as zero, and paints it. */
    MemorySegment allocate(long bytes) {
        MemorySegment memory = allocator.allocate(bytes, 1 << 4);
        add(memory);
        return memory;
    }

    /** Allocates a segment from an array of zeros, and paints it. */
    void allocateFrom(byte[] zeros) {
        add(allocator.allocateFrom(ValueLayout.JAVA_BYTE, zeros));
    }

    /** Paints memory that is new and lives as long as the arena. */
    void add(MemorySegment memory) {
        for (MemorySegment end : ends(memory)) {
            Paint.requireZero(end);
        }
        painted++;
        for (MemorySegment end : ends(memory)) {
            Paint.paint(end, painted);
        }
        segments.add(new Segment(memory, painted));
    }

    /** Frees what was allocated last; of a freeing arena. */
    void freeLast() {
        if (segments.isEmpty()) {
            return; // the attempt before came so far
        }
        MemorySegment last = segments.removeLast().memory();
        try {
            ((FreeingArena) closeable).free(last);
        } catch (Throwable failed) {
            unsure = last;
            throw failed;
        }
    }

    /** Frees again what may not have been freed; if it was, the arena says so. */
    void freeUnsure() {
        MemorySegment last = unsure;
        unsure = null;
        if (last != null) {
            try {
                ((FreeingArena) closeable).free(last);
            } catch (IllegalArgumentException freedBefore) {
                return;
            }
        }
    }

    /** Checks that what was painted is there. */
    void verify() {
        if (closing) {
            return;
        }
        for (Segment segment : segments) {
            for (MemorySegment end : ends(segment.memory())) {
                Paint.requirePainted(end, segment.seed());
            }
        }
    }

    /** The parts that are looked at. */
    private static List<MemorySegment> ends(MemorySegment memory) {
        long part = 2048;
        long bytes = memory.byteSize();
        return bytes <= 2 * part
                ? List.of(memory)
                : List.of(memory.asSlice(0, part), memory.asSlice(bytes - part));
    }

    /** Closes it in a set-up. */
    void closeInSetUp() {
        try {
            close();
        } catch (Exception never) {
            throw new AssertionError("nothing is thrown in a set-up", never);
        }
    }

    /** Closes it; if that was tried before, it may be closed already. */
    void close() throws Exception {
        if (closed) {
            return;
        }
        boolean again = closing;
        closing = true;
        try {
            closeable.close();
        } catch (IllegalStateException alreadyClosed) {
            if (!again) {
                throw alreadyClosed;
            }
        }
        closed = true;
    }
}
