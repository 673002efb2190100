package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;

/** A space whose provider has memory behind a reservation at once, and cannot uncommit. */
class PlainSpaceTest extends SpaceFixture {

    private final FailingMemoryProvider plain = new FailingMemoryProvider(Providers.plain());

    @Test
    void roots_areReservedOneByOneAndCommitted() {
        ChunkSpace space = space(plain, MemoryLimits.NONE);
        long first = take(space, ROOT);
        long second = take(space, KIB);
        assertThat(space.statistics().usage().reservedBytes()).isEqualTo(2 * ROOT);
        assertThat(space.statistics().usage().committedBytes()).isEqualTo(2 * ROOT);
        use(space, first, ROOT, (byte) 1);
        space.give(first, ROOT);
        assertThat(space.trim()).isEqualTo(ROOT);
        assertThat(space.statistics().usage().reservedBytes()).isEqualTo(ROOT);
        SpaceCheck.verifyAtRest(space);
        long again = take(space, ROOT);
        Payload.assertZero(again);
        space.give(again, 0);
        space.give(second, 0);
    }

    @Test
    void decay_releasesWholeRoots() {
        ChunkSpace space = space(plain, MemoryLimits.NONE);
        long chunk = take(space, KIB);
        assertThat(space.decay()).isZero();
        space.give(chunk, 0);
        assertThat(space.hasWarmFree()).isTrue();
        assertThat(space.decay()).isZero();
        space.give(take(space, KIB), 0);
        assertThat(space.decay()).as("taken since").isZero();
        assertThat(space.decay()).isEqualTo(ROOT);
        assertThat(space.hasWarmFree()).isFalse();
    }

    @Test
    void trim_refused_keepsTheRoot() {
        ChunkSpace space = space(plain, MemoryLimits.NONE);
        space.give(take(space, KIB), 0);
        plain.fail(Call.RELEASE, 1, Errno.EINVAL);
        assertThat(space.trim()).isZero();
        SpaceCheck.verifyAtRest(space);
        assertThat(space.statistics().usage().refusals()).isEqualTo(1);
        space.give(take(space, KIB), 0);
        assertThat(space.trim()).isEqualTo(ROOT);
    }

    @Test
    void committedLimit_countsWholeRoots() {
        ChunkSpace space = space(plain, new MemoryLimits(2 * ROOT - 1, 4 * ROOT));
        long chunk = take(space, ROOT);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> take(space, KIB))
                .withMessageContaining("committedMaxBytes");
        SpaceCheck.verifyAtRest(space);
        space.give(chunk, 0);
    }
}
