package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.Paint;
import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.chunk.ChunkSpace;
import io.polder.chunk.FreeMemory;
import io.polder.chunk.SpaceCheck;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * Arenas of all kinds, which write to all they get, one after the other and beside each other, in
 * several threads: whatever call an arena allocates by, what promises zeros has them, and what is
 * made from a content has that and nothing else. In between, others who rely on zeros take chunks
 * of the same space, and memory is given back to the system.
 */
class RandomClearingTest {
    private static final long KIB = 1 << 10;
    private static final long SLAB = 16 * KIB;
    private static final int THREADS = 3;
    private static final int STEPS = TestScale.of(120, 1_000);
    private static final String WORD = "\u0142\u00e4nd ";

    private static final List<Charset> CHARSETS =
            List.of(
                    StandardCharsets.UTF_8,
                    StandardCharsets.ISO_8859_1,
                    StandardCharsets.US_ASCII,
                    StandardCharsets.UTF_16LE,
                    StandardCharsets.UTF_16,
                    StandardCharsets.UTF_32);

    private enum Memory {
        PLENTY(false, Long.MAX_VALUE),
        LIMITED(false, 48 << 20),
        CLEARED_AT_CLOSE(true, Long.MAX_VALUE);

        private final boolean clearsAtClose;
        private final long committedMaxBytes;

        Memory(boolean clearsAtClose, long committedMaxBytes) {
            this.clearsAtClose = clearsAtClose;
            this.committedMaxBytes = committedMaxBytes;
        }

        ArenaFactory make() {
            MemoryLimits limits =
                    committedMaxBytes == Long.MAX_VALUE
                            ? MemoryLimits.NONE
                            : new MemoryLimits(committedMaxBytes, 1L << 40);
            return Slabs.memory(
                    Slabs.source(
                            Providers.choose().provider(),
                            limits,
                            SLAB,
                            clearsAtClose,
                            new RecordingListener()),
                    2);
        }
    }

    private final LongAdder zeros = new LongAdder();
    private final LongAdder contents = new LongAdder();
    private final LongAdder marked = new LongAdder();
    private final LongAdder others = new LongAdder();

    @ParameterizedTest
    @EnumSource(Memory.class)
    void allocate_byAnyCall_showsNothingOfAnybody(Memory kind) {
        long seed = Seed.get();
        ArenaFactory memory = kind.make();
        ChunkSpace space = memory.source().space;
        Seed.naming(
                seed,
                () -> {
                    SeededThreads.run(
                            THREADS,
                            seed,
                            random -> {
                                for (int step = 0; step < STEPS; step++) {
                                    step(memory, kind, random);
                                }
                            });
                    Await.until(() -> !memory.tick());
                    SlabAudit.check(memory);
                    memory.trim();
                    space.trim();
                    assertThat(FreeMemory.markedBytes(space)).as("dirty after a trim").isZero();
                    SpaceCheck.verifyAtRest(space);
                });
        assertThat(zeros.sum()).isGreaterThan(STEPS);
        assertThat(contents.sum()).isGreaterThan(STEPS);
        assertThat(others.sum()).isPositive();
        assertThat(marked.sum() > 0).as("memory was dirty").isEqualTo(!kind.clearsAtClose);
    }

    private void step(ArenaFactory memory, Memory kind, SplittableRandom random) {
        ChunkSpace space = memory.source().space;
        switch (random.nextInt(12)) {
            case 0 -> memory.trim();
            case 1 -> {
                int _ = memory.chunkCache().drain();
                marked.add(FreeMemory.markedBytes(space));
            }
            case 2 -> space.decay();
            case 3 -> {
                if (random.nextInt(4) == 0) {
                    space.trim();
                }
            }
            case 4, 5 -> useChunk(space, kind, random);
            default -> useArena(memory, random);
        }
    }

    /** As blocks do, which rely on the zeros of what they commit. */
    private void useChunk(ChunkSpace space, Memory kind, SplittableRandom random) {
        int level = random.nextInt(2, ChunkLevel.SMALLEST + 1);
        long chunk = space.tryTake(level, level) & Chunk.MASK;
        if (chunk == Chunk.NONE) {
            return;
        }
        others.increment();
        long committed = 0;
        while (committed < Chunk.bytes(chunk) && random.nextInt(6) > 0) {
            long to = random.nextLong(committed, Chunk.bytes(chunk)) + 1;
            long before = committed;
            try {
                committed = space.commit(chunk, before, to);
            } catch (MemoryExhaustedException limited) {
                break;
            }
            MemorySegment added = memory(Chunk.address(chunk) + before, committed - before);
            assertThat(Paint.isZero(added)).as("what a chunk has is zero").isTrue();
            added.fill((byte) 0x77);
        }
        if (kind.clearsAtClose || random.nextBoolean()) {
            space.give(chunk, committed);
        } else {
            space.giveAsIs(chunk, committed, committed, false);
        }
    }

    @SuppressWarnings("restricted")
    private static MemorySegment memory(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    private void useArena(ArenaFactory memory, SplittableRandom random) {
        Arena arena =
                switch (random.nextInt(3)) {
                    case 0 -> memory.openConfined();
                    case 1 -> memory.openShared();
                    default -> memory.openDeferred();
                };
        try (arena) {
            List<MemorySegment> all = new ArrayList<>();
            int largest = random.nextInt(6, 21);
            long bytes = 0;
            for (int i = random.nextInt(1, 12); i > 0 && bytes < 4 << 20; i--) {
                MemorySegment segment = allocate(arena, random, largest);
                bytes += segment.byteSize();
                all.add(segment);
                segment.fill((byte) all.size());
            }
            if (random.nextInt(3) == 0) {
                memory.trim();
            }
            for (int i = 0; i < all.size(); i++) {
                assertThat(isFull(all.get(i), (byte) (i + 1))).as("nobody else's").isTrue();
            }
        } catch (OutOfMemoryError limited) {
            assertThat(limited).hasMessageContaining("committedMaxBytes");
        }
    }

    private static boolean isFull(MemorySegment segment, byte content) {
        long last = segment.byteSize() - 1;
        if (last < 0) {
            return true;
        }
        return segment.get(ValueLayout.JAVA_BYTE, 0) == content
                && segment.asSlice(1).mismatch(segment.asSlice(0, last)) < 0;
    }

    private MemorySegment allocate(Arena arena, SplittableRandom random, int largest) {
        long bytes = random.nextLong(1L << random.nextInt(largest + 1), 2L << largest);
        if (random.nextInt(100) == 0) {
            bytes += ChunkLevel.ROOT_BYTES; // a page
        }
        switch (random.nextInt(7)) {
            case 0 -> {
                return zero(arena.allocate(bytes));
            }
            case 1 -> {
                return zero(arena.allocate(bytes, 1L << random.nextInt(14)));
            }
            case 2 -> {
                return zero(arena.allocate(ValueLayout.JAVA_INT, bytes / 4));
            }
            case 3 -> {
                long[] array = random.longs(bytes / 8).toArray();
                MemorySegment segment = arena.allocateFrom(ValueLayout.JAVA_LONG, array);
                return same(segment, MemorySegment.ofArray(array));
            }
            case 4 -> {
                byte[] array = new byte[(int) bytes];
                random.nextBytes(array);
                MemorySegment source = MemorySegment.ofArray(array);
                long from = random.nextLong(bytes);
                return same(
                        arena.allocateFrom(
                                ValueLayout.JAVA_BYTE,
                                source,
                                ValueLayout.JAVA_BYTE,
                                from,
                                bytes - from),
                        source.asSlice(from));
            }
            default -> {
                return string(arena, random, (int) bytes);
            }
        }
    }

    private MemorySegment string(Arena arena, SplittableRandom random, int length) {
        String plain = random.nextBoolean() ? "x" : WORD;
        String text = plain.repeat(length / plain.length());
        Charset charset = CHARSETS.get(random.nextInt(CHARSETS.size()));
        byte[] encoded = text.getBytes(charset);
        MemorySegment segment = arena.allocateFrom(text, charset);
        long end = segment.byteSize() - encoded.length;
        assertThat(end).isBetween(1L, 4L);
        assertThat(Paint.isZero(segment.asSlice(encoded.length))).as("a string's end").isTrue();
        MemorySegment _ = same(segment.asSlice(0, encoded.length), MemorySegment.ofArray(encoded));
        return segment;
    }

    private MemorySegment zero(MemorySegment segment) {
        zeros.increment();
        assertThat(Paint.isZero(segment)).as("zero: %s", segment).isTrue();
        return segment;
    }

    private MemorySegment same(MemorySegment segment, MemorySegment content) {
        contents.increment();
        assertThat(segment.mismatch(content)).as("as its content: %s", segment).isEqualTo(-1);
        return segment;
    }
}
