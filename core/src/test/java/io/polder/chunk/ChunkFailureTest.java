package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.OsCallException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

class ChunkFailureTest extends SpaceFixture {

    @Test
    void reserve_refused_namesTheCall() {
        ChunkSpace space = space();
        provider.failAlways(Call.RESERVE, Errno.ENOMEM);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> take(space, KIB))
                .withMessageContaining("injected RESERVE")
                .withCauseInstanceOf(OsCallException.class);
        assertThat(space.statistics().usage().refusals())
                .as("64, 32, 16, 8 and 4 MiB")
                .isEqualTo(5);
        SpaceCheck.verifyAtRest(space);
        provider.heal();
        space.give(take(space, KIB), 0);
    }

    @Test
    void reserve_onceRefused_triesLess() {
        ChunkSpace space = space();
        provider.fail(Call.RESERVE, 1, Errno.ENOMEM);
        long chunk = take(space, KIB);
        assertThat(space.statistics().usage().reservedBytes()).isEqualTo(32 * MIB);
        space.give(chunk, 0);
    }

    @Test
    void commit_refused_changesNothing() {
        ChunkSpace space = space();
        long chunk = take(space, ROOT);
        provider.fail(Call.COMMIT, 1, Errno.ENOMEM);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> space.commit(chunk, 0, ROOT))
                .withMessageContaining("injected COMMIT");
        assertThat(space.statistics().usage().committedBytes()).isZero();
        SpaceCheck.verifyAtRest(space);
        space.commit(chunk, 0, ROOT);
        space.give(chunk, 0);
    }

    @Test
    void trim_refusedInTheMiddle_keepsTheRestCommitted() {
        ChunkSpace space = oneRoot();
        long root = take(space, ROOT);
        for (int i = 0; i < 10; i++) {
            long from = 2L * i * page;
            space.commit(root, from, from + page);
        }
        space.give(root, 0);
        provider.fail(Call.UNCOMMIT, 4, Errno.ENOMEM);
        assertThat(space.trim()).isEqualTo(3 * page);
        SpaceCheck.verifyAtRest(space);
        assertThat(space.statistics().usage().committedBytes()).isEqualTo(7 * page);
        assertThat(space.statistics().usage().refusals()).isEqualTo(1);
        assertThat(space.hasWarmFree()).isTrue();
        assertThat(space.trim()).isEqualTo(7 * page);
    }

    @Test
    void close_releaseRefused_canBeTriedAgain() {
        ChunkSpace space = space();
        space.give(take(space, KIB), 0);
        provider.fail(Call.RELEASE, 1, Errno.ENOMEM);
        assertThatIllegalStateException()
                .isThrownBy(space::close)
                .withMessageContaining("reservedBytes=" + 64 * MIB)
                .withCauseInstanceOf(OsCallException.class);
        assertThatIllegalStateException().isThrownBy(() -> take(space, KIB));
        SpaceCheck.verifyAtRest(space);
        space.close();
    }

    /** The same story, with each single call of a kind failing once. */
    @ParameterizedTest
    @EnumSource(names = {"RESERVE", "RELEASE", "COMMIT", "UNCOMMIT", "ADVISE"})
    void anyCall_failing_losesNothing(Call call) {
        long failing = 1;
        long callsBefore;
        do {
            callsBefore = provider.failures(call);
            provider.fail(call, failing++, Errno.ENOMEM);
            story();
        } while (provider.failures(call) > callsBefore);
        assertThat(failing).isGreaterThan(2);
    }

    private void story() {
        MemoryBudget budget = new MemoryBudget(new MemoryLimits(12 * MIB, 40 * MIB), "");
        ChunkSpace space = new ChunkSpace(provider, budget);
        List<Long> chunks = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            try {
                long chunk = space.take(i % 3, SMALLEST);
                chunks.add(chunk);
                use(space, chunk, Chunk.bytes(chunk), (byte) i);
            } catch (MemoryExhaustedException exhausted) {
                assertThat(exhausted).hasMessageMatching("(?s).*(MaxBytes=|injected).*");
            }
            if (i % 4 == 3) {
                giveAll(space, chunks.remove(0));
                space.decay();
            }
        }
        SpaceCheck.verifyAtRest(space);
        assertBudgetIsOf(space, budget);
        chunks.forEach(chunk -> giveAll(space, chunk));
        space.trim();
        SpaceCheck.verifyAtRest(space);
        space.trim();
        assertThat(space.statistics().usage().committedBytes()).isZero();
        try {
            space.close();
        } catch (IllegalStateException refused) {
            space.close();
        }
        assertBudgetIsOf(space, budget);
        assertThat(provider.reservedBytes()).isZero();
    }

    /** A chunk whose commit was refused has not been written to. */
    private static void giveAll(ChunkSpace space, long chunk) {
        long used = 0;
        try {
            used = space.commit(chunk, 0, Chunk.bytes(chunk));
        } catch (MemoryExhaustedException refused) {
            used = 0;
        }
        space.give(chunk, used);
    }
}
