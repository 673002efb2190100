package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;
import io.polder.arena.TestScale;
import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * What one part of a pool wrote is read by no other part, in whatever order memory passes between
 * them; blocks find what blocks have left, or zeros.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ForeignContentTest {
    private static final List<Part> PARTS = List.of(Part.values());
    private static final long MIB = 1 << 20;
    private static final int STEPS = TestScale.of(150, 2_000);

    private enum Part {
        CONFINED(0x51),
        SHARED(0x52),
        FREEING(0x53),
        PAGE(0x54),
        HEAP(0x55),
        BLOCK(0x56),
        ZEROED_BLOCK(0x57);

        private final byte paint;

        Part(int paint) {
            this.paint = (byte) paint;
        }

        /** What this part writes everywhere. */
        byte paint() {
            return paint;
        }

        /** Segments of freeing arenas are blocks as well. */
        boolean isBlock() {
            return this == BLOCK || this == ZEROED_BLOCK || this == FREEING;
        }
    }

    private final Map<Part, Integer> steps = new EnumMap<>(Part.class);

    @Test
    void takenByAnyPart_afterAnyOther_showsNothingOfIt() {
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Seed.naming(
                seed,
                () -> {
                    try (MemoryPool pool =
                            MemoryPool.builder().committedMaxBytes(96 * MIB).build()) {
                        for (int step = 0; step < STEPS; step++) {
                            Part part = PARTS.get(random.nextInt(PARTS.size()));
                            steps.merge(part, 1, Integer::sum);
                            use(pool, part, random);
                            if (random.nextInt(20) == 0) {
                                long _ = pool.trim();
                            }
                        }
                    }
                });
        assertThat(steps).hasSize(Part.values().length);
    }

    private static void use(MemoryPool pool, Part part, SplittableRandom random) throws Exception {
        int count = random.nextInt(1, 4);
        switch (part) {
            case CONFINED, SHARED -> {
                try (Arena arena = part == Part.SHARED ? pool.openShared() : pool.openConfined()) {
                    for (int i = 0; i < count; i++) {
                        paint(arena.allocate(size(random), 8), part);
                    }
                }
            }
            case FREEING -> {
                try (FreeingArena arena = pool.openFreeing()) {
                    for (int i = 0; i < count; i++) {
                        MemorySegment segment = arena.allocate(size(random), 8);
                        paint(segment, part);
                        if (random.nextBoolean()) {
                            arena.free(segment);
                        }
                    }
                }
            }
            case PAGE -> {
                for (int i = 0; i < count; i++) {
                    Page page = pool.pages().allocate(size(random));
                    try (Arena arena = Arena.ofConfined()) {
                        paint(page.segment(arena), part);
                    }
                    page.close();
                }
            }
            case HEAP -> useHeap(pool, count, random);
            case BLOCK, ZEROED_BLOCK -> useBlocks(pool.blocks(), part, count, random);
        }
    }

    private static void useHeap(MemoryPool pool, int count, SplittableRandom random) {
        try (RelocatingHeap heap = pool.openHeap()) {
            for (int i = 0; i < count; i++) {
                byte[] content = new byte[(int) Math.min(size(random), 2 * MIB)];
                Arrays.fill(content, Part.HEAP.paint());
                long zero = heap.allocate(content.length);
                heap.read(
                        zero,
                        segment -> {
                            check(segment, Part.HEAP);
                            return segment.byteSize();
                        });
                heap.free(zero);
                long _ = heap.allocate(MemorySegment.ofArray(content));
            }
        }
    }

    private static void useBlocks(
            BlockAllocator blocks, Part part, int count, SplittableRandom random) {
        List<MemorySegment> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long bytes = size(random);
            MemorySegment block =
                    part == Part.BLOCK
                            ? blocks.allocate(bytes, 8)
                            : blocks.allocateZeroed(bytes, 8);
            paint(block, part);
            if (random.nextInt(3) == 0) {
                long larger = bytes + size(random);
                block = blocks.reallocate(block, larger);
                check(block.asSlice(bytes), Part.BLOCK);
                block.fill(part.paint());
            }
            all.add(block);
        }
        all.forEach(blocks::free);
    }

    private static long size(SplittableRandom random) {
        long bytes = 1L << random.nextInt(6, 23);
        return (bytes + random.nextLong(bytes)) & -8;
    }

    private static void paint(MemorySegment segment, Part part) {
        check(segment, part);
        segment.fill(part.paint());
    }

    /** Links of free blocks apart, all is zero or was painted by who may be read. */
    private static void check(MemorySegment segment, Part part) {
        for (Part other : Part.values()) {
            boolean mayBe = part == Part.BLOCK && other.isBlock();
            long foreign = other.paint() * 0x0101_0101_0101_0101L;
            for (long at = 0; !mayBe && at + 8 <= segment.byteSize(); at += 8) {
                if (segment.get(ValueLayout.JAVA_LONG_UNALIGNED, at) == foreign) {
                    throw new AssertionError(
                            part
                                    + " reads what "
                                    + other
                                    + " wrote: offset="
                                    + at
                                    + ", "
                                    + segment);
                }
            }
        }
    }
}
