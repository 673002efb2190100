package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;

import org.junit.jupiter.api.AfterEach;

import java.util.ArrayList;
import java.util.List;

/** Spaces for tests; after each test they are checked, emptied of memory, and closed. */
abstract class SpaceFixture {
    static final long KIB = 1 << 10;
    static final long MIB = 1 << 20;
    static final long ROOT = ChunkLevel.ROOT_BYTES;
    static final int SMALLEST = ChunkLevel.SMALLEST;

    final MemoryProvider system = Providers.choose().provider();
    final long page = system.limits().osPageSize();
    final FailingMemoryProvider provider = new FailingMemoryProvider(system);

    private final List<ChunkSpace> spaces = new ArrayList<>();

    ChunkSpace space() {
        return space(ChunkLimits.NONE);
    }

    ChunkSpace space(ChunkLimits limits) {
        return space(provider, limits);
    }

    ChunkSpace space(MemoryProvider memory, ChunkLimits limits) {
        ChunkSpace space = new ChunkSpace(memory, limits);
        spaces.add(space);
        return space;
    }

    /** A space of one root chunk. */
    ChunkSpace oneRoot() {
        return space(new ChunkLimits(ROOT, ROOT));
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
        for (ChunkSpace space : spaces) {
            space.verifyAtRest();
            assertThat(space.statistics().usedBytes()).as("every test gives all back").isZero();
            space.trim();
            space.verifyAtRest();
            assertThat(space.statistics().committedBytes()).isZero();
            assertThat(space.hasWarmFree()).isFalse();
            space.close();
            assertThat(space.statistics().reservedBytes()).isZero();
        }
        assertThat(provider.reservedBytes()).isZero();
    }
}
