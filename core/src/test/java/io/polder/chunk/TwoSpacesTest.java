package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.Crew;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** Two spaces that share one budget: what one has free makes room for the other. */
@Timeout(300)
class TwoSpacesTest extends SpaceFixture {
    private static final int ROUNDS = 300;

    private final MemoryBudget budget = new MemoryBudget(new MemoryLimits(2 * ROOT, 4 * ROOT), "");
    private final ChunkSpace one = new ChunkSpace(provider, budget);
    private final ChunkSpace other = new ChunkSpace(provider, budget);

    @AfterEach
    void closeBoth() {
        for (ChunkSpace space : List.of(one, other)) {
            SpaceCheck.verifyAtRest(space);
            assertThat(space.statistics().usedBytes()).isZero();
        }
        assertThat(budget.committed.bytes())
                .isEqualTo(
                        one.statistics().usage().committedBytes()
                                + other.statistics().usage().committedBytes());
        one.close();
        other.close();
        assertThat(budget.committed.bytes()).isZero();
        assertThat(budget.reserved.bytes()).isZero();
    }

    @Test
    void commit_uncommitsWhatTheOtherHasFree() {
        warmUp(one, 2 * ROOT);
        List<Long> chunks = take(other, 2);
        chunks.forEach(chunk -> other.commit(chunk, 0, ROOT));
        assertThat(one.statistics().usage().committedBytes()).isZero();
        chunks.forEach(chunk -> other.give(chunk, 0));
    }

    @Test
    void commit_beyondWhatIsFree_namesTheCommonLimit() {
        long held = take(one, ROOT);
        one.commit(held, 0, ROOT);
        List<Long> chunks = take(other, 2);
        other.commit(chunks.get(0), 0, ROOT);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> other.commit(chunks.get(1), 0, page))
                .withMessageContaining("committedBytes=" + 2 * ROOT)
                .withMessageContaining("exceededByBytes=" + page);
        SpaceCheck.verify(one);
        SpaceCheck.verify(other);
        one.give(held, 0);
        chunks.forEach(chunk -> other.give(chunk, 0));
    }

    @Test
    void take_releasesWhatTheOtherHasFree() {
        take(one, 4).forEach(chunk -> one.give(chunk, 0));
        assertThat(budget.reserved.roomBytes()).isZero();
        List<Long> chunks = take(other, 4);
        assertThat(one.statistics().usage().reservedBytes()).isZero();
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> take(one, ROOT))
                .withMessageContaining("reservedMaxBytes=" + 4 * ROOT);
        chunks.forEach(chunk -> other.give(chunk, 0));
    }

    @Test
    void plain_rootMakesRoomUnderTheCommittedLimit() {
        MemoryBudget small = new MemoryBudget(new MemoryLimits(2 * ROOT - 1, 4 * ROOT), "");
        ChunkSpace linux = new ChunkSpace(provider, small);
        try (linux;
                ChunkSpace plain = new ChunkSpace(Providers.plain(), small)) {
            warmUp(linux, ROOT);
            plain.give(take(plain, KIB), 0);
            assertThat(linux.statistics().usage().committedBytes()).isLessThan(ROOT);
            long held = take(linux, ROOT);
            linux.commit(held, 0, ROOT);
            assertThat(plain.statistics().usage().reservedBytes()).isZero();
            assertThatExceptionOfType(MemoryExhaustedException.class)
                    .isThrownBy(() -> take(plain, KIB))
                    .withMessageContaining("committedMaxBytes");
            linux.give(held, 0);
        }
    }

    @Test
    void threads_atTheLimit_doNotWaitForEachOther() throws Exception {
        try (ExecutorService threads = Crew.of(4)) {
            List<Future<Integer>> users = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                ChunkSpace space = i % 2 == 0 ? one : other;
                users.add(threads.submit(() -> use(space)));
            }
            int served = 0;
            for (Future<Integer> user : users) {
                served += user.get();
            }
            assertThat(served).isGreaterThan(ROUNDS);
        }
    }

    /** Takes and commits more than its share of the limit, so that others must make room. */
    private int use(ChunkSpace space) {
        int served = 0;
        for (int round = 0; round < ROUNDS; round++) {
            try {
                long chunk = take(space, ROOT);
                try {
                    space.commit(chunk, 0, ROOT);
                    Payload.assertZero(Chunk.address(chunk), page);
                    Payload.paint(Chunk.address(chunk), page, (byte) 1);
                    served++;
                    space.give(chunk, page);
                } catch (MemoryExhaustedException exhausted) {
                    space.give(chunk, 0);
                }
            } catch (MemoryExhaustedException exhausted) {
                SpaceCheck.verify(space);
            }
            assertThat(budget.committed.bytes()).isLessThanOrEqualTo(2 * ROOT);
        }
        return served;
    }

    private static List<Long> take(ChunkSpace space, int roots) {
        List<Long> chunks = new ArrayList<>();
        for (int i = 0; i < roots; i++) {
            chunks.add(take(space, ROOT));
        }
        return chunks;
    }

    private static void warmUp(ChunkSpace space, long bytes) {
        List<Long> chunks = take(space, (int) (bytes / ROOT));
        chunks.forEach(chunk -> space.commit(chunk, 0, ROOT));
        chunks.forEach(chunk -> space.give(chunk, 0));
    }
}
