package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.DelegatingProvider;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Zeroing;

import org.junit.jupiter.api.Test;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

class DecayTest extends SpaceFixture {

    @Test
    void decay_uncommitsWhatWasFreeForTwoTicks() {
        ChunkSpace space = oneRoot();
        long chunk = take(space, 64 * KIB);
        use(space, chunk, 64 * KIB, (byte) 1);
        assertThat(space.decay()).isZero();
        assertThat(space.decay()).as("taken memory does not decay").isZero();
        space.give(chunk, 64 * KIB);
        assertThat(space.hasWarmFree()).isTrue();
        assertThat(space.decay()).as("free for less than a tick").isZero();
        SpaceCheck.verifyAtRest(space);
        assertThat(space.hasWarmFree()).isTrue();
        assertThat(space.decay()).isEqualTo(64 * KIB);
        assertThat(space.hasWarmFree()).isFalse();
        assertThat(space.decay()).isZero();
    }

    @Test
    void decay_disclaimed_goesAtOnceAndComesBackAsZero() {
        ChunkSpace space = oneRoot();
        long chunk = take(space, 256 * KIB);
        use(space, chunk, 256 * KIB, (byte) 1);
        space.disclaim(chunk, 64 * KIB);
        assertThat(space.decay()).isEqualTo(192 * KIB);
        assertThat(space.decay()).isZero();
        assertThat(space.commit(chunk, 64 * KIB, 256 * KIB)).isEqualTo(256 * KIB);
        assertThat(Zeroing.ADDRESS_SPACE.get(Zeroing.WORD, Chunk.address(chunk) + 64 * KIB))
                .isZero();
        space.give(chunk, 64 * KIB);
        assertThat(space.hasWarmFree()).isTrue();
    }

    /** It may be taken between a tick and the question whether there must be another one. */
    @Test
    void hasWarmFree_takenAndNotAskedFor_saysSoUntilATickHasComeForIt() {
        ChunkSpace space = oneRoot();
        long chunk = take(space, 512 * KIB);
        use(space, chunk, 512 * KIB, (byte) 1);
        space.give(chunk, 512 * KIB);
        assertThat(space.decay()).isZero();
        long again = take(space, 512 * KIB);
        assertThat(space.hasWarmFree()).isTrue();
        assertThat(space.decay()).isEqualTo(512 * KIB);
        assertThat(space.hasWarmFree()).isFalse();
        space.give(again, 0);
        assertThat(space.hasWarmFree()).isFalse();
    }

    /** An owner waits for the system where it uncommits memory of its chunk, and not otherwise. */
    @Test
    void decay_disclaimed_keepsNoNeighbourWaiting() {
        Meanwhile meanwhile = new Meanwhile();
        ChunkSpace space = space(meanwhile, new MemoryLimits(ROOT, ROOT));
        long chunk = take(space, 256 * KIB);
        long neighbour = take(space, 256 * KIB);
        use(space, chunk, 256 * KIB, (byte) 1);
        space.disclaim(chunk, 64 * KIB);
        meanwhile.act =
                () -> {
                    long end = space.commit(neighbour, 0, 64 * KIB);
                    assertThat(end).isEqualTo(64 * KIB);
                    space.give(neighbour, 0);
                    assertThat(space.hasWarmFree()).isTrue();
                };
        assertThat(space.decay()).isEqualTo(192 * KIB);
        assertThat(meanwhile.acted).isTrue();
        space.give(chunk, 64 * KIB);
        assertThat(space.hasWarmFree()).isTrue();
    }

    /** Has something done by another thread while it uncommits, once. */
    private final class Meanwhile extends DelegatingProvider {
        Runnable act = () -> {};
        boolean acted;

        Meanwhile() {
            super(provider);
        }

        @Override
        public void uncommit(long[] addresses, long[] sizes, int count) {
            if (!acted) {
                CompletableFuture.runAsync(act).orTimeout(200, TimeUnit.SECONDS).join();
                acted = true;
            }
            super.uncommit(addresses, sizes, count);
        }
    }

    @Test
    void decay_takenBetweenTicks_startsAnew() {
        ChunkSpace space = oneRoot();
        long chunk = take(space, 64 * KIB);
        space.commit(chunk, 0, 64 * KIB);
        space.give(chunk, 0);
        for (int i = 0; i < 4; i++) {
            assertThat(space.decay()).isZero();
            long again = take(space, 64 * KIB);
            assertThat(again).isEqualTo(chunk);
            space.give(again, 0);
        }
        assertThat(space.decay()).isZero();
        assertThat(space.decay()).isEqualTo(64 * KIB);
    }

    @Test
    void decay_ofAMergedChunk_goesByPages() {
        ChunkSpace space = oneRoot();
        long first = take(space, 64 * KIB);
        long second = take(space, 64 * KIB);
        space.commit(first, 0, 64 * KIB);
        space.commit(second, 0, 64 * KIB);
        space.give(first, 0);
        assertThat(space.decay()).isZero();
        space.give(second, 0);
        assertThat(space.decay()).as("the first half").isEqualTo(64 * KIB);
        SpaceCheck.verifyAtRest(space);
        assertThat(space.decay()).as("the second half").isEqualTo(64 * KIB);
    }

    @Test
    void decay_enlargedOver_startsAnew() {
        ChunkSpace space = oneRoot();
        long first = take(space, 64 * KIB);
        long second = take(space, 64 * KIB);
        space.commit(second, 0, 64 * KIB);
        space.give(second, 0);
        assertThat(space.decay()).isZero();
        long enlarged = space.enlarge(first) & Chunk.MASK;
        assertThat(Chunk.bytes(enlarged)).isEqualTo(128 * KIB);
        assertThat(space.decay()).isZero();
        space.give(enlarged, 0);
        assertThat(space.decay()).isZero();
        assertThat(space.decay()).isEqualTo(64 * KIB);
    }
}
