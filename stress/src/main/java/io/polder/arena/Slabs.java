package io.polder.arena;

import io.polder.background.Background;
import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkSpace;
import io.polder.chunk.SpaceCheck;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import java.util.HashSet;
import java.util.Set;

/** Sources of chunks for the states of tests, and the question where all their chunks are. */
public final class Slabs {
    /** From which nobody takes. */
    private static final PageSpace PAGES =
            new PageSpace(
                    Providers.choose().provider(),
                    new MemoryBudget(MemoryLimits.NONE, ""),
                    new Background("slabs"),
                    new PageSettings(Long.MAX_VALUE, false, false),
                    Exhaustion.IGNORED,
                    null);

    /** From one slot to the next. */
    private static final int SLOT_WORDS = SlabSlots.index(1) - SlabSlots.index(0);

    private Slabs() {}

    /**
     * A source of chunks that lie in a block, of a space of its own: some kilobytes of heap, and no
     * system call.
     */
    static ChunkSource source(long block) {
        return source(new OneBlock(block), Blocks.SLAB_BYTES);
    }

    /** A source of chunks of a space of its own, without limits. */
    public static ChunkSource source(MemoryProvider provider, long slabBytes) {
        return new ChunkSource(
                new ChunkSpace(provider, new MemoryBudget(MemoryLimits.NONE, "")),
                PAGES,
                slabBytes,
                false,
                new Untold());
    }

    /** Is told in vain. */
    private static final class Untold implements ChunkSource.Listener {
        @Override
        public boolean makeRoom() {
            return false;
        }

        @Override
        public void exhausted(MemoryExhaustedException exhausted) {}
    }

    /** Takes a slab, committed as a whole. */
    static long takeSlab(ChunkSource source) {
        ArenaChunks chunks = new ArenaChunks(source);
        return chunks.beginWithNewSlab() ? chunks.slab() : 0;
    }

    /** Gives back a slab that reads as zero. */
    static void giveClean(ChunkSource source, long slab) {
        source.space.give(source.chunk(slab), 0);
        source.gave();
    }

    /** How much of a source's chunks has an owner. */
    static long usedBytes(ChunkSource source) {
        return source.space.statistics().usedBytes();
    }

    /** How much memory a source has committed, whether it has an owner or not. */
    public static long committedBytes(ChunkSource source) {
        return source.space.statistics().usage().committedBytes();
    }

    /**
     * Says where the chunks of a source are, when no arena is open and nobody keeps any: {@code
     * home} if all are free.
     */
    static String whereabouts(ChunkSource source) {
        long used = usedBytes(source);
        return used == 0 ? "home" : "lost: " + used;
    }

    /**
     * Says where the slabs of a pool are, when no arena is open and no thread keeps any: {@code
     * home} if those in slots, and chunks at hand, are all that has an owner.
     */
    public static String whereabouts(ArenaFactory memory) {
        Set<Long> seen = new HashSet<>();
        SlabSlots slots = memory.slots();
        ChunkSpace space = memory.source().space;
        for (int at = SlabSlots.index(0); at < slots.words.length; at += SLOT_WORDS) {
            long slab = slots.words[at];
            if (slab != 0 && !seen.add(slab)) {
                return "slab in two slots";
            }
            if (slab != 0 && SpaceCheck.isFree(space, Chunk.address(slab), memory.slabBytes())) {
                return "slab in two places";
            }
        }
        SpaceCheck.verifyAtRest(space);
        long kept = seen.size() * memory.slabBytes() + ArenaCheck.bytes(memory.chunkCache());
        long lost = space.statistics().usedBytes() - kept;
        return lost == 0 ? "home" : "lost: " + lost;
    }
}
