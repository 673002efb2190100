package io.polder.arena;

import io.polder.chunk.Chunk;

import java.util.HashSet;
import java.util.Set;

/** Checks the invariants of what arenas are made of. */
public final class ArenaCheck {
    private ArenaCheck() {}

    /** Checks that each word is of its level; only while nothing is taken or kept. */
    static void verify(ChunkCache cache) {
        synchronized (cache) {
            for (int at = ChunkCache.STRIDE; at < cache.words.length; at++) {
                long word = (long) ChunkCache.WORDS.getVolatile(cache.words, at);
                long chunk = ChunkCache.chunk(word);
                boolean whole =
                        Chunk.level(chunk) == at % ChunkCache.STRIDE
                                && ChunkCache.committedBytes(word) > 0
                                && ChunkCache.committedBytes(word) <= Chunk.bytes(chunk)
                                && (word & ChunkCache.TAKEN) == 0;
                if (word != 0 && !whole) {
                    throw new AssertionError(
                            "a chunk is kept at its level, with memory: at="
                                    + at
                                    + ", word="
                                    + Long.toHexString(word));
                }
            }
        }
    }

    /** The size of all that is kept now. */
    static long bytes(ChunkCache cache) {
        long sum = 0;
        for (int at = ChunkCache.STRIDE; at < cache.words.length; at++) {
            long word = (long) ChunkCache.WORDS.getOpaque(cache.words, at);
            sum += word == 0 ? 0 : Chunk.bytes(word);
        }
        return sum;
    }

    static void verify(ThreadRegistry registry) {
        synchronized (registry) {
            int keeping = 0;
            int virtual = 0;
            for (ThreadCache slabs : registry.known) {
                virtual += slabs.virtual ? 1 : 0;
                keeping += slabs.keeperId != 0 ? 1 : 0;
            }
            if (keeping != registry.keepers
                    || virtual != registry.virtuals
                    || registry.keepers > registry.keepersMax) {
                throw new AssertionError(
                        "keepers and virtuals are those of the threads known: keeping="
                                + keeping
                                + ", keepers="
                                + registry.keepers
                                + ", keepersMax="
                                + registry.keepersMax
                                + ", virtual="
                                + virtual
                                + ", virtuals="
                                + registry.virtuals);
            }
        }
    }

    /** Checks the invariants, except those that the arena would have to be asked about. */
    static void verify(ArenaChunks chunks) {
        long[] words = chunks.words;
        long owned = 0;
        for (int index = 0; index < chunks.count; index++) {
            long chunk = words[index * ArenaChunks.STRIDE];
            long top = words[index * ArenaChunks.STRIDE + ArenaChunks.TOP];
            long limit = words[index * ArenaChunks.STRIDE + ArenaChunks.LIMIT];
            if (chunk == Chunk.NONE) {
                continue; // given back
            }
            long committed = words[index * ArenaChunks.STRIDE + ArenaChunks.COMMITTED];
            if (top < Chunk.address(chunk)
                    || top > limit
                    || limit > committed
                    || committed > chunks.end(index)) {
                throw broken(chunks, "address <= TOP <= LIMIT <= COMMITTED <= end", index);
            }
            owned += Chunk.bytes(chunk);
        }
        if (owned != chunks.ownedBytes) {
            throw broken(chunks, "owned is the size of all chunks: owned=" + chunks.ownedBytes, -1);
        }
        if (chunks.current >= chunks.count) {
            throw broken(chunks, "what the arena allocates from is a chunk", -1);
        }
    }

    private static AssertionError broken(ArenaChunks chunks, String rule, int index) {
        StringBuilder dump =
                new StringBuilder(
                        rule + ": index=" + index + ", current=" + chunks.current + ", words=");
        for (int i = 0; i < chunks.count * ArenaChunks.STRIDE; i++) {
            dump.append(Long.toHexString(chunks.words[i])).append(' ');
        }
        return new AssertionError(dump.toString());
    }

    /** Checks the invariants. Only for the thread itself, or once it has ended. */
    static void verify(ThreadCache slabs) {
        long[] words = slabs.words;
        int count = (int) words[ThreadCache.COUNT];
        if (count < 0 || count > slabs.restCapacity) {
            throw broken(slabs, "0 <= COUNT <= capacity - 1");
        }
        int kept = words[ThreadCache.TOP] == 0 ? 0 : 1;
        for (int i = 0; i < count; i++) {
            kept += words[ThreadCache.SLABS + i] == 0 ? 0 : 1;
        }
        if (kept > words[ThreadCache.OWNED] || words[ThreadCache.OWNED] > slabs.restCapacity + 1) {
            throw broken(slabs, "COUNT + (TOP != 0) <= OWNED <= capacity");
        }
        Set<Long> seen = new HashSet<>();
        if (words[ThreadCache.TOP] != 0) {
            seen.add(words[ThreadCache.TOP]);
        }
        for (int i = 0; i < count; i++) {
            long slab = words[ThreadCache.SLABS + i];
            if (slab == 0 ? !slabs.attention : !seen.add(slab)) {
                throw broken(slabs, "slabs kept are slabs, and none stands here twice");
            }
        }
    }

    private static AssertionError broken(ThreadCache slabs, String rule) {
        StringBuilder dump = new StringBuilder(rule + ": owner=" + slabs.ownerId + ", words=");
        for (int i = ThreadCache.OWNED; i < slabs.words.length - ThreadCache.PADDING; i++) {
            dump.append(Long.toHexString(slabs.words[i])).append(' ');
        }
        return new AssertionError(dump.toString());
    }
}
