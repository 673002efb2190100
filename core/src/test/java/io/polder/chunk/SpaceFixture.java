package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;

import org.junit.jupiter.api.AfterEach;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Spaces for tests; after each test they are checked, emptied of memory, and closed. */
abstract class SpaceFixture {
    static final long KIB = 1 << 10;
    static final long MIB = 1 << 20;
    static final long ROOT = ChunkLevel.ROOT_BYTES;
    static final int SMALLEST = ChunkLevel.SMALLEST;

    final MemoryProvider system = Providers.choose().provider();
    final long page = system.osPageSize();
    final FailingMemoryProvider provider = new FailingMemoryProvider(system);

    private final Map<ChunkSpace, MemoryBudget> spaces = new LinkedHashMap<>();

    ChunkSpace space() {
        return space(MemoryLimits.NONE);
    }

    ChunkSpace space(MemoryLimits limits) {
        return space(provider, limits);
    }

    ChunkSpace space(MemoryProvider memory, MemoryLimits limits) {
        MemoryBudget budget = new MemoryBudget(limits, "");
        ChunkSpace space = new ChunkSpace(memory, budget);
        spaces.put(space, budget);
        return space;
    }

    /** What a space of the fixture draws on. */
    MemoryBudget budget(ChunkSpace space) {
        return Objects.requireNonNull(spaces.get(space));
    }

    /** What a space that shares its budget with nobody has is what is charged. */
    static void assertBudgetIsOf(ChunkSpace space, MemoryBudget budget) {
        ChunkStatistics statistics = space.statistics();
        assertThat(budget.committed.bytes()).isEqualTo(statistics.usage().committedBytes());
        assertThat(budget.reserved.bytes()).isEqualTo(statistics.usage().reservedBytes());
    }

    /** A space of one root chunk. */
    ChunkSpace oneRoot() {
        return space(new MemoryLimits(ROOT, ROOT));
    }

    static int level(long bytes) {
        return ChunkLevel.fitting(bytes);
    }

    static long take(ChunkSpace space, long bytes) {
        return space.take(level(bytes), level(bytes));
    }

    /** Commits and paints the front of a chunk. */
    static void use(ChunkSpace space, long chunk, long bytes, byte paint) {
        space.commit(chunk, 0, bytes);
        Payload.paint(Chunk.address(chunk), bytes, paint);
    }

    /** How many free chunks there are of a size. */
    static int free(ChunkSpace space, long bytes) {
        return space.statistics().free().get(level(bytes)).count();
    }

    @AfterEach
    void everythingComesBack() {
        provider.heal();
        spaces.forEach(SpaceFixture::assertComesBack);
        assertThat(provider.reservedBytes()).isZero();
    }

    private static void assertComesBack(ChunkSpace space, MemoryBudget budget) {
        SpaceCheck.verifyAtRest(space);
        assertBudgetIsOf(space, budget);
        assertThat(space.statistics().usedBytes()).as("every test gives all back").isZero();
        space.trim();
        SpaceCheck.verifyAtRest(space);
        assertThat(space.statistics().usage().committedBytes()).isZero();
        assertThat(space.hasWarmFree()).isFalse();
        space.close();
        assertThat(space.statistics().usage().reservedBytes()).isZero();
        assertBudgetIsOf(space, budget);
    }
}
