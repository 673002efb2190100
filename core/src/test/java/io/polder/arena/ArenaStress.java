package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Mix;
import io.polder.Paint;
import io.polder.chunk.ChunkSpace;
import io.polder.chunk.ChunkStatistics;
import io.polder.chunk.SpaceCheck;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Random operations on up to 32 arenas of one pool, confined and shared, most of which allocate a
 * few words at a time. Each block is painted. An allocation that fails has changed nothing: not
 * what any arena holds, and not what the pool has, apart from a chunk that was doubled in vain and
 * from free memory that was given back to make room.
 */
final class ArenaStress {
    /** What is done, and how often in a hundred. */
    enum Operation {
        OPEN(10),
        CLOSE(10),
        ALLOCATE(75),
        CHECK(3),
        TRIM(1),
        DECAY(1);

        private final int weight;

        Operation(int weight) {
            this.weight = weight;
        }
    }

    private static final int ARENAS_MAX = 32;
    private static final int WORDS_MAX = 100;

    private final ArenaFactory memory;
    private final ChunkSpace space;
    private final SplittableRandom random;
    private final List<Opened> opened = new ArrayList<>();
    private final Mix<Operation> mix;
    private int painted;
    private int failed;
    private long liveBytes;

    private record Painted(MemorySegment segment, int seed) {}

    private record Opened(Arena arena, List<Painted> blocks) {}

    /**
     * A stress without arenas.
     *
     * @param memory where the arenas come from
     * @param seed of all that is random
     */
    ArenaStress(ArenaFactory memory, long seed) {
        this.memory = memory;
        this.space = memory.source().space;
        this.random = new SplittableRandom(seed);
        this.mix = new Mix<>(Operation.class, operation -> operation.weight, random);
    }

    /** Does so many operations, then closes all, and checks that each kind was among them. */
    void run(int operations) {
        while (opened.size() < ARENAS_MAX / 2) {
            open();
        }
        for (int i = 0; i < operations; i++) {
            step(mix.draw());
            checkStatistics();
        }
        while (!opened.isEmpty()) {
            close(opened.removeLast());
        }
        mix.verify(operations);
    }

    /** How many allocations failed. */
    int failed() {
        return failed;
    }

    private void step(Operation wanted) {
        Operation operation = wanted;
        if (opened.isEmpty()) {
            operation = Operation.OPEN;
        } else if (wanted == Operation.OPEN && opened.size() == ARENAS_MAX) {
            operation = Operation.CLOSE;
        }
        mix.did(operation);
        switch (operation) {
            case OPEN -> open();
            case CLOSE -> close(opened.remove(random.nextInt(opened.size())));
            case ALLOCATE -> allocate(opened.get(random.nextInt(opened.size())));
            case CHECK -> opened.forEach(ArenaStress::check);
            case TRIM -> {
                memory.trim();
                space.trim();
                assertThat(space.hasWarmFree()).isFalse();
            }
            case DECAY -> space.decay();
        }
    }

    private void open() {
        Arena arena = random.nextBoolean() ? memory.openShared() : memory.openConfined();
        opened.add(new Opened(arena, new ArrayList<>()));
    }

    private void allocate(Opened in) {
        for (int i = 5 + random.nextInt(16); i > 0; i--) {
            long bytes = Long.BYTES * (1L + random.nextInt(WORDS_MAX));
            ChunkStatistics before = space.statistics();
            MemorySegment block;
            try {
                block = in.arena().allocate(bytes);
            } catch (OutOfMemoryError full) {
                assertThat(full).hasMessageContaining("memory must stay within its limit");
                checkNothingChanged(before);
                check(in);
                failed++;
                return;
            }
            assertThat(block.byteSize()).isEqualTo(bytes);
            assertThat(Paint.isZero(block)).isTrue();
            Paint.paint(block, painted);
            in.blocks().add(new Painted(block, painted));
            painted++;
            liveBytes += bytes;
        }
    }

    private void checkNothingChanged(ChunkStatistics before) {
        ChunkStatistics now = space.statistics();
        assertThat(now.usage().committedBytes())
                .isLessThanOrEqualTo(before.usage().committedBytes());
        assertThat(now.usedCount()).as("a chunk may be doubled").isEqualTo(before.usedCount());
        assertThat(now.usedBytes()).isLessThanOrEqualTo(2 * before.usedBytes());
        SpaceCheck.verifyAtRest(space);
    }

    private void checkStatistics() {
        ChunkStatistics now = space.statistics();
        long free = now.free().stream().mapToLong(ChunkStatistics.Free::committedBytes).sum();
        assertThat(liveBytes).isLessThanOrEqualTo(now.usedCommittedBytes());
        assertThat(now.usedCommittedBytes()).isLessThanOrEqualTo(now.usage().committedBytes());
        assertThat(now.usedCommittedBytes() + free).isEqualTo(now.usage().committedBytes());
        assertThat(now.usage().committedBytes()).isLessThanOrEqualTo(now.usage().reservedBytes());
        assertThat(now.usage().committedBytes())
                .isLessThanOrEqualTo(space.limits().committedMaxBytes());
    }

    private static void check(Opened in) {
        for (Painted each : in.blocks()) {
            assertThat(Paint.isPainted(each.segment(), each.seed()))
                    .as("block %s, seed %d", each.segment(), each.seed())
                    .isTrue();
        }
    }

    private void close(Opened last) {
        check(last);
        last.arena().close();
        for (Painted each : last.blocks()) {
            liveBytes -= each.segment().byteSize();
        }
    }
}
