package io.polder.arena;

import io.polder.background.Background;
import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkSpace;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Fixture: makes slabs for a test, and looks after each test whether they are all home again. Not
 * thread-safe.
 *
 * {@snippet :
 * @RegisterExtension
 * private final Slabs slabs = new Slabs();
 * }
 */
public final class Slabs implements AfterEachCallback {
    private static final Background BACKGROUND = new Background("slabs-of-tests");

    /** No test takes so long that pages decay in it. */
    private static final PageSettings NEVER =
            new PageSettings(Duration.ofDays(10).toNanos(), false, false);

    private final List<ArenaFactory> watched = new ArrayList<>();
    private long lostBytes;

    /** Slabs of the provider of this process, watched. */
    public ArenaFactory create(long bytes, int count) {
        return create(Providers.choose().provider(), bytes, count);
    }

    /** Slabs of a provider, watched; so few slots that a test can use them up. */
    public ArenaFactory create(MemoryProvider provider, long bytes, int count) {
        return watch(memory(source(provider, MemoryLimits.NONE, bytes), count));
    }

    /** Slabs within limits, watched. */
    public ArenaFactory create(MemoryLimits limits, long bytes, int count) {
        MemoryProvider provider = Providers.choose().provider();
        return watch(memory(source(provider, limits, bytes), count));
    }

    /** A source of chunks of a space of its own, not watched. */
    static ChunkSource source(MemoryProvider provider, MemoryLimits limits, long slabBytes) {
        return source(provider, limits, slabBytes, new RecordingListener());
    }

    /** The same with a source that tells somebody. */
    static ChunkSource source(
            MemoryProvider provider,
            MemoryLimits limits,
            long slabBytes,
            ChunkSource.Listener listener) {
        return source(provider, limits, slabBytes, false, listener);
    }

    /** The same with a source that clears at close, or does not. */
    static ChunkSource source(
            MemoryProvider provider,
            MemoryLimits limits,
            long slabBytes,
            boolean clearsAtClose,
            ChunkSource.Listener listener) {
        MemoryBudget budget = new MemoryBudget(limits, "");
        ChunkSpace chunks = new ChunkSpace(provider, budget);
        PageSpace pages =
                new PageSpace(provider, budget, BACKGROUND, NEVER, Exhaustion.IGNORED, null);
        return new ChunkSource(chunks, pages, slabBytes, clearsAtClose, listener);
    }

    /** A source without limits, of the provider of this process, not watched. */
    static ChunkSource source(long slabBytes) {
        MemoryProvider provider = Providers.choose().provider();
        return source(provider, MemoryLimits.NONE, slabBytes);
    }

    /** Slabs of a source, not watched. */
    static ArenaFactory memory(ChunkSource source, int count) {
        return RecordingListener.serve(ArenaFactory.create(source, count, () -> {}, 1, null));
    }

    /** Takes a slab, committed as a whole; returns its address, 0 if the system refuses memory. */
    static long takeSlab(ChunkSource source) {
        ArenaChunks chunks = new ArenaChunks(source);
        return chunks.beginWithNewSlab() ? chunks.slab() : 0;
    }

    /** Gives back a slab, or another chunk, that reads as zero. */
    static void giveClean(ChunkSource source, long slabOrChunk) {
        boolean isSlab = Chunk.address(slabOrChunk) == slabOrChunk;
        source.space.give(isSlab ? source.chunk(slabOrChunk) : slabOrChunk, 0);
        source.gave();
    }

    /**
     * How much of a space has an owner: an arena, a thread that keeps it, or a slot. What is kept
     * at hand for anybody does not count.
     */
    static long usedBytes(ArenaFactory memory) {
        long used = memory.source().space.statistics().usedBytes();
        return used - ArenaCheck.bytes(memory.chunkCache());
    }

    /** Watches slabs that somebody else made. */
    public ArenaFactory watch(ArenaFactory memory) {
        watched.add(memory);
        return memory;
    }

    /** Says that a test leaves arenas open for good, with chunks of so many bytes. */
    public void expectLost(long bytes) {
        lostBytes += bytes;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        checkAll();
    }

    /** What is checked after each test. */
    void checkAll() {
        for (ArenaFactory memory : watched) {
            SlabAudit.check(memory, lostBytes);
        }
    }
}
