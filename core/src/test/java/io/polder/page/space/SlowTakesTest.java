package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.Await;
import io.polder.memory.DelegatingProvider;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryProvider;
import io.polder.memory.MovableMemory;
import io.polder.memory.Providers;
import io.polder.page.Page;
import io.polder.page.PageStatistics;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Which takes count as slow. */
class SlowTakesTest extends PageFixture {
    private static final long LIMIT = 32 * MIB;
    private static final long COMMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private volatile boolean slowCommit;

    /** Commits as slowly as it is told to. */
    @Override
    MemoryProvider real() {
        return new DelegatingProvider(Providers.choose().provider()) {
            @Override
            public void commit(long address, long bytes) {
                long from = System.nanoTime();
                super.commit(address, bytes);
                while (slowCommit && System.nanoTime() - from < COMMIT_NANOS) {
                    Thread.onSpinWait();
                }
            }
        };
    }

    private record Slow(long count, long totalNanos, long longestNanos) {}

    private static Slow slow(PageSpace space) {
        PageStatistics now = space.statistics();
        return new Slow(now.slowTakes(), now.slowTakeNanos(), now.longestTakeNanos());
    }

    private static final Slow NONE = new Slow(0, 0, 0);

    @Test
    void take_committed_countsWithItsTime() {
        PageSpace space = space(LIMIT);
        assertThat(slow(space)).isEqualTo(NONE);
        slowCommit = true;
        Extent first = space.take(4 * MIB, false);
        assertThat(slow(space).count()).isEqualTo(1);
        assertThat(slow(space).totalNanos())
                .isGreaterThanOrEqualTo(COMMIT_NANOS)
                .isEqualTo(slow(space).longestNanos());
        Extent second = space.take(4 * MIB, false);
        assertThat(slow(space).count()).isEqualTo(2);
        assertThat(slow(space).totalNanos() - slow(space).longestNanos())
                .isGreaterThanOrEqualTo(COMMIT_NANOS);
        give(first, second);
    }

    @Test
    void take_atHand_doesNotCount() {
        PageSpace space = space(LIMIT);
        space.give(space.take(LIMIT, false), 0);
        Slow before = slow(space);
        Extent one = space.take(4 * MIB, true);
        Extent two = space.take(2 * MIB, 8 * MIB, false);
        assertThat(slow(space)).isEqualTo(before);
        give(one, two);
    }

    @Test
    void takeOrWait_atHand_doesNotCount() throws InterruptedException {
        PageSpace space = space(LIMIT);
        space.give(space.take(LIMIT, false), 0);
        Slow before = slow(space);
        Extent page = space.takeOrWait(4 * MIB, true, new Deadline(0, () -> false));
        assertThat(slow(space)).isEqualTo(before);
        give(page);
    }

    @Test
    void take_dirtyMemory_countsIfItMustReadAsZero() {
        PageSpace space = space(LIMIT);
        give(space.take(4 * MIB, false));
        long before = slow(space).count();
        give(space.take(4 * MIB, false));
        assertThat(slow(space).count()).isEqualTo(before);
        give(space.take(4 * MIB, true));
        assertThat(slow(space).count()).isEqualTo(before + 1);
    }

    @Test
    void take_assembled_counts() {
        MovableMemory.assume();
        PageSpace space = space(LIMIT);
        List<Extent> kept = giveEverySecond(space, fill(space));
        long before = slow(space).count();
        Extent page = space.take(8 * MIB, false);
        assertThat(space.statistics().assembledOnAllocation()).isEqualTo(1);
        assertThat(slow(space).count()).isEqualTo(before + 1);
        give(kept);
        give(page);
    }

    @Test
    void take_refused_doesNotCount() throws InterruptedException {
        PageSpace space = space(LIMIT);
        Extent all = space.take(LIMIT, false);
        Slow before = slow(space);
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> space.take(1, false));
        assertThatExceptionOfType(MemoryExhaustedException.class)
                .isThrownBy(() -> space.takeOrWait(1, false, new Deadline(1, () -> false)));
        assertThat(slow(space)).isEqualTo(before);
        give(all);
    }

    @Test
    void takeOrWait_inLine_countsWithTheTimeInLine() throws Exception {
        PageSpace space = space(LIMIT);
        Extent all = space.take(LIMIT, false);
        Slow before = slow(space);
        CompletableFuture<Extent> waiting = new CompletableFuture<>();
        Thread thread =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        Deadline deadline =
                                                new Deadline(Long.MAX_VALUE, () -> false);
                                        waiting.complete(space.takeOrWait(1, false, deadline));
                                    } catch (Throwable failure) {
                                        waiting.completeExceptionally(failure);
                                    }
                                });
        Await.until(() -> space.statistics().waiting() != 0);
        long from = System.nanoTime();
        while (System.nanoTime() - from < COMMIT_NANOS) {
            Thread.onSpinWait();
        }
        space.give(all, 0);
        Extent page = waiting.join();
        Await.end(thread);
        assertThat(slow(space).count()).isEqualTo(before.count() + 1);
        assertThat(slow(space).totalNanos())
                .isGreaterThanOrEqualTo(before.totalNanos() + COMMIT_NANOS);
        give(page);
    }

    /** What users see. */
    @Test
    void stats_userTookAPage_hasIt() {
        PageSpace space = space(LIMIT);
        Page page = space.allocate(MIB);
        assertThat(space.statistics().slowTakes()).isEqualTo(1);
        assertThat(space.statistics().longestTakeNanos()).isPositive();
        page.close();
    }
}
