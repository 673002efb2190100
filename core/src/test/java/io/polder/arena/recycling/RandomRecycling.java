package io.polder.arena.recycling;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Mix;
import io.polder.Paint;
import io.polder.arena.OtherThread;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Random operations on a recycler, compared with a model: the segments that are live and hold the
 * pattern painted on them, and the free memory as ranges that do not touch.
 *
 * <p>The model knows where a request must go: to the front of a smallest range that can hold it, or
 * where the last segment freed was, if it is of the same extent; and that the arena must not grow
 * as long as there is such a range.
 */
final class RandomRecycling {
    /** What is done, and how often in a hundred. */
    enum Operation {
        ALLOCATE(34),
        ALLOCATE_ALIGNED(8),
        FREE(36),
        FREE_AND_ALLOCATE(7),
        CHECK(5),
        MISUSE(4),
        EXHAUST(4),
        GAP(2);

        private final int weight;

        Operation(int weight) {
            this.weight = weight;
        }
    }

    private static final int LIVE_MAX = 400;
    private static final int VERIFY_EVERY = 50;

    private final BumpArena arena;
    private final Recycler recycler;
    private final SplittableRandom random;
    private final List<Painted> live = new ArrayList<>();
    private final TreeMap<Long, Long> free = new TreeMap<>();
    private final Mix<Operation> mix;
    private @Nullable MemorySegment freedLast;
    private boolean shrinking;
    private int painted;
    private int grown;
    private int recycled;
    private int exhausted;

    private record Painted(MemorySegment segment, int seed) {}

    RandomRecycling(BumpArena arena, long seed) {
        this.arena = arena;
        this.recycler = new Recycler(arena, true);
        this.random = new SplittableRandom(seed);
        this.mix = new Mix<>(Operation.class, operation -> operation.weight, random);
    }

    /** Does so many operations, frees what is live, and checks that each kind was among them. */
    void run(int operations) {
        for (int i = 0; i < operations; i++) {
            Operation operation = choose();
            mix.did(operation);
            step(operation);
            if (i % VERIFY_EVERY == 0) {
                verify();
            }
        }
        while (!live.isEmpty()) {
            free();
        }
        verify();
        mix.verify(operations);
        assertThat(grown).describedAs("requests that grew the arena").isGreaterThan(20);
        assertThat(exhausted).describedAs("requests refused").isGreaterThan(operations / 300);
        assertThat(recycled).describedAs("requests recycled").isGreaterThan(operations / 4);
    }

    private void verify() {
        recycler.verify();
        long allocated = 0;
        for (Painted each : live) {
            allocated += BlockTable.extent(each.segment().byteSize());
        }
        long freeBytes = 0;
        for (Map.Entry<Long, Long> range : free.entrySet()) {
            freeBytes += range.getValue() - range.getKey();
        }
        assertThat(recycler.allocatedCount()).isEqualTo(live.size());
        assertThat(recycler.allocatedBytes()).isEqualTo(allocated);
        assertThat(recycler.freeBytes()).isEqualTo(freeBytes);
        assertThat(allocated + freeBytes).isEqualTo(arena.handedOutBytes());
    }

    private Operation choose() {
        Operation drawn = mix.draw();
        return live.isEmpty() ? Operation.ALLOCATE : drawn;
    }

    private void step(Operation operation) {
        switch (operation) {
            case ALLOCATE -> {
                allocate(size(), 1L << random.nextInt(5));
                if (!shrinking && random.nextInt(3) == 0) {
                    allocate(size(), 1);
                }
                shrinking = live.size() > LIVE_MAX || (shrinking && live.size() > LIVE_MAX / 8);
            }
            case ALLOCATE_ALIGNED -> allocate(size(), 32L << random.nextInt(8));
            case FREE -> {
                free();
                if (shrinking && !live.isEmpty()) {
                    free();
                }
            }
            case FREE_AND_ALLOCATE -> {
                MemorySegment segment = free();
                assertThat(allocate(segment.byteSize(), 1).address()).isEqualTo(segment.address());
            }
            case CHECK -> live.forEach(RandomRecycling::check);
            case MISUSE -> misuse();
            case EXHAUST -> exhaust();
            case GAP -> arena.leaveGap(BlockTable.GRAIN_BYTES * random.nextInt(1, 4));
        }
    }

    /** Mostly in the bins; at times none, or in the tree. */
    private long size() {
        return switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1, 2 -> random.nextInt(6000);
            case 3 -> 1000 + random.nextInt(60);
            default -> random.nextInt(150);
        };
    }

    private MemorySegment allocate(long size, long alignment) {
        long extent = BlockTable.extent(size);
        long bestBytes = bestFit(extent, alignment);
        long before = arena.handedOutBytes();
        MemorySegment segment = recycler.allocate(size, alignment);
        assertThat(segment.byteSize()).isEqualTo(size);
        assertThat(segment.address() & (Math.max(alignment, 16) - 1)).isZero();
        assertThat(segment.scope()).isEqualTo(arena.scope());
        assertThat(Paint.isZero(segment)).isTrue();
        if (bestBytes == Long.MAX_VALUE) {
            assertThat(arena.handedOutBytes()).isEqualTo(before + extent);
            grown++;
        } else {
            assertThat(arena.handedOutBytes()).describedAs("must not grow").isEqualTo(before);
            takeFree(segment.address(), extent, alignment, bestBytes);
            recycled++;
        }
        freedLast = null;
        Paint.paint(segment, painted);
        live.add(new Painted(segment, painted));
        painted++;
        return segment;
    }

    private long bestFit(long extent, long alignment) {
        long best = Long.MAX_VALUE;
        for (Map.Entry<Long, Long> range : free.entrySet()) {
            long start = FreeBlocks.alignUp(range.getKey(), alignment);
            if (range.getValue() - start >= extent) {
                best = Math.min(best, range.getValue() - range.getKey());
            }
        }
        return best;
    }

    private void takeFree(long address, long extent, long alignment, long bestBytes) {
        Map.Entry<Long, Long> range = free.floorEntry(address);
        assertThat(range).isNotNull();
        long from = range.getKey();
        long to = range.getValue();
        assertThat(address + extent).describedAs("inside free memory").isLessThanOrEqualTo(to);
        MemorySegment last = freedLast;
        if (last != null
                && BlockTable.extent(last.byteSize()) == extent
                && (last.address() & (alignment - 1)) == 0) {
            assertThat(address).describedAs("where it was").isEqualTo(last.address());
        } else {
            assertThat(to - from).describedAs("the best fit").isEqualTo(bestBytes);
            assertThat(address).isEqualTo(FreeBlocks.alignUp(from, alignment));
        }
        free.remove(from);
        if (from < address) {
            free.put(from, address);
        }
        if (address + extent < to) {
            free.put(address + extent, to);
        }
    }

    private MemorySegment free() {
        Painted victim = live.remove(random.nextInt(live.size()));
        check(victim);
        MemorySegment segment = victim.segment();
        recycler.free(segment);
        freedLast = segment;
        long from = segment.address();
        long to = from + BlockTable.extent(segment.byteSize());
        Long above = free.remove(to);
        if (above != null) {
            to = above;
        }
        Map.Entry<Long, Long> below = free.lowerEntry(from);
        if (below != null && below.getValue() == from) {
            from = below.getKey();
        }
        free.put(from, to);
        return segment;
    }

    private static void check(Painted each) {
        assertThat(Paint.isPainted(each.segment(), each.seed()))
                .describedAs("segment %s, seed %d", each.segment(), each.seed())
                .isTrue();
    }

    private void misuse() {
        MemorySegment any = live.get(random.nextInt(live.size())).segment();
        refuse(MemorySegment.ofArray(new byte[16]));
        if (any.byteSize() > 1) {
            // Not the end of it: there another segment may begin, which has no bytes either.
            refuse(any.asSlice(random.nextLong(any.byteSize() - 1) + 1));
            refuse(any.asSlice(0, random.nextLong(any.byteSize())));
        }
        MemorySegment last = freedLast;
        if (last != null) {
            refuse(last);
        }
    }

    private void refuse(MemorySegment segment) {
        assertThat(OtherThread.thrownBy(() -> recycler.free(segment)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private void exhaust() {
        arena.exhaust();
        long size = size();
        if (bestFit(BlockTable.extent(size), 64) == Long.MAX_VALUE) {
            assertThat(OtherThread.thrownBy(() -> recycler.allocate(size, 64)))
                    .isInstanceOf(OutOfMemoryError.class);
            freedLast = null; // coalesced by the attempt
            exhausted++;
        } else {
            allocate(size, 64);
        }
        long huge = 1L << 40;
        assertThat(OtherThread.thrownBy(() -> recycler.allocate(huge, 1)))
                .isInstanceOf(OutOfMemoryError.class);
        freedLast = null;
        exhausted++;
        arena.refill();
        verify();
    }
}
