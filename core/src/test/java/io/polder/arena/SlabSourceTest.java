package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.Providers;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Blocks cut into slabs, the stack of free ones, and what happens when there is no memory. */
class SlabSourceTest {
    private static final int ENOMEM = 12;
    private static final long LARGE = SlabSettings.BYTES_MAX;

    private final FailingMemoryProvider provider =
            new FailingMemoryProvider(Providers.choose().provider());
    private final SlabSource source = new SlabSource(provider, LARGE);

    @AfterEach
    void verify() {
        source.verify();
        SlabSource.Counts counts = source.counts();
        assertThat(counts.reservedBytes()).isEqualTo(provider.reservedBytes());
        assertThat(counts.failures()).isEqualTo(provider.failures(Call.RESERVE));
    }

    @Test
    void tryTake_fresh_asksNobody() {
        assertThat(source.tryTake()).isZero();
        assertThat(provider.calls(Call.RESERVE)).isZero();
        assertThat(source.counts()).isEqualTo(new SlabSource.Counts(0, 0, 0, 0));
    }

    @Test
    void take_blockUsedUp_reservesTheNext() {
        int perBlock = (int) (SlabSource.BLOCK_BYTES / LARGE);
        Set<Long> slabs = new HashSet<>();
        for (int i = 0; i < 3 * perBlock; i++) {
            assertThat(provider.calls(Call.RESERVE)).isEqualTo((i + perBlock - 1) / perBlock);
            long slab = source.take();
            assertThat(slab % LARGE).isZero();
            slabs.add(slab);
            source.verify();
        }
        assertThat(slabs).hasSize(3 * perBlock).doesNotContain(0L);
        assertThat(source.tryTake()).isZero();
        assertThat(source.counts())
                .isEqualTo(new SlabSource.Counts(3 * SlabSource.BLOCK_BYTES, 3L * perBlock, 0, 0));
    }

    @Test
    void take_smallestSlabs_cutsTheWholeBlock() {
        SlabSource small = new SlabSource(provider, SlabSettings.BYTES_MIN);
        int perBlock = (int) (SlabSource.BLOCK_BYTES / SlabSettings.BYTES_MIN);
        long last = small.take();
        for (int i = 1; i < perBlock; i++) {
            long slab = small.tryTake();
            assertThat(slab - last).isEqualTo(SlabSettings.BYTES_MIN);
            last = slab;
        }
        assertThat(small.tryTake()).isZero();
        small.verify();
        assertThat(source.take()).isNotZero(); // the equation at the end is about both
        provider.release(
                last + SlabSettings.BYTES_MIN - SlabSource.BLOCK_BYTES, SlabSource.BLOCK_BYTES);
    }

    @Test
    void take_slabsGiven_takesTheLastGivenFirst() {
        List<Long> slabs = new ArrayList<>();
        for (int i = 0; i < 40; i++) { // more than the stack holds at first
            slabs.add(source.take());
        }
        slabs.forEach(source::give);
        assertThat(source.counts().free()).isEqualTo(40);
        source.verify();
        long reserved = provider.calls(Call.RESERVE);
        for (long slab : slabs.reversed()) {
            assertThat(source.take()).isEqualTo(slab);
        }
        assertThat(provider.calls(Call.RESERVE)).isEqualTo(reserved);
    }

    @Test
    void take_fresh_asksForNoHugePages() {
        assertThat(source.take()).isNotZero();
        assertThat(provider.calls(Call.ADVISE)).isEqualTo(1);
    }

    @Test
    void take_adviceRefused_isNoError() {
        provider.failAlways(Call.ADVISE, ENOMEM);
        assertThat(source.take()).isNotZero();
        assertThat(source.counts().failures()).isZero();
    }

    @Test
    void take_refused_isZeroAndCounted() {
        provider.fail(Call.RESERVE, 1, ENOMEM);
        assertThat(source.take()).isZero();
        assertThat(source.counts()).isEqualTo(new SlabSource.Counts(0, 0, 0, 1));
        assertThat(source.take()).isNotZero(); // one failure alone delays nothing
    }

    @Test
    void take_refusedManyTimesInARow_asksLessAndLess() {
        provider.failAlways(Call.RESERVE, ENOMEM);
        List<Integer> distances = distancesBetweenAttempts(8 * SlabSource.PAUSE_MAX);
        assertThat(distances).startsWith(1, 1, 2, 4, 8, 16);
        assertThat(distances.getLast()).isEqualTo(SlabSource.PAUSE_MAX);
        assertThat(distances).isSorted();
    }

    @Test
    void take_healedAfterFailures_isPooledWithinThePause() {
        provider.failAlways(Call.RESERVE, ENOMEM);
        for (int i = 0; i < 10 * SlabSource.PAUSE_MAX; i++) {
            assertThat(source.take()).isZero();
        }
        provider.heal();
        int calls = 1;
        while (source.take() == 0) {
            calls++;
        }
        assertThat(calls).isLessThanOrEqualTo(SlabSource.PAUSE_MAX);
        provider.failAlways(Call.RESERVE, ENOMEM);
        while (source.take() != 0) {
            calls++;
        }
        provider.heal();
        assertThat(source.take()).isNotZero(); // success began the row anew
    }

    @Test
    void take_pausing_stillGivesWhatIsFree() {
        long slab = source.take();
        while (source.tryTake() != 0) {
            source.verify();
        }
        provider.failAlways(Call.RESERVE, ENOMEM);
        for (int i = 0; i < 100; i++) {
            assertThat(source.take()).isZero();
        }
        source.give(slab);
        assertThat(source.take()).isEqualTo(slab);
    }

    /** How many calls lie between one attempt to reserve and the next. */
    private List<Integer> distancesBetweenAttempts(int calls) {
        List<Integer> distances = new ArrayList<>();
        int since = 0;
        for (int i = 0; i < calls; i++) {
            long before = provider.calls(Call.RESERVE);
            assertThat(source.take()).isZero();
            since++;
            if (provider.calls(Call.RESERVE) != before) {
                distances.add(since);
                since = 0;
            }
        }
        return distances;
    }
}
