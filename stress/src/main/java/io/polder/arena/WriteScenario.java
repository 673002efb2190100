package io.polder.arena;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A shared arena to which one thread writes while another closes it. */
final class WriteScenario {
    private final long block = Blocks.take();
    private final ChunkSource source = Slabs.source(block);
    private final SharedArena arena = new SharedArena(source, null);

    /** Makes the arena take its chunk. */
    WriteScenario withChunk() {
        arena.allocate(1, 1);
        return this;
    }

    /** Allocates and writes; returns how far that came. */
    String write() {
        MemorySegment segment;
        try {
            segment = arena.allocate(16, 1);
        } catch (IllegalStateException alreadyClosed) {
            return "refused";
        }
        try {
            segment.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, Blocks.DIRT);
            return "written";
        } catch (IllegalStateException alreadyClosed) {
            return "dead";
        }
    }

    String close() {
        arena.close();
        return "closed";
    }

    /** Where the chunk is; or that something is left in it of what was written. */
    String look() {
        String found = Blocks.isZero(block) ? Slabs.whereabouts(source) : "dirty";
        Blocks.give(block);
        return found;
    }
}
