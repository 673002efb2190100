package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.gate.Gate;
import io.polder.heap.EvacuationFailurePolicy;
import io.polder.heap.HeapOptions;
import io.polder.heap.space.CompactionPolicy.Round;
import io.polder.memory.ProcessFence;

import org.junit.jupiter.api.Test;

import java.util.List;

/** What is found again after operations were cut off between a change and its count. */
class RecountTest extends EvacuationFixture {
    private static final long FOOTPRINT = ObjectLayout.footprint(Long.BYTES);

    private final Gate access = new Gate(ProcessFence.ofThisProcess());

    private Cycle cycle(Evacuation evacuation) {
        ToSpace toSpace = new ToSpace(regions, pages, HeapSettings.of(HeapOptions.DEFAULT));
        return new Cycle(access, evacuation, toSpace, regions, pages, counts, 0);
    }

    /** Evacuates a region, where every so-manieth copy fails. */
    private void cycle(Region region, int failEvery) {
        region.retire();
        Round round = new Round(List.of(region), 0);
        long _ =
                cycle(evacuation(EvacuationFailurePolicy.PIN, failEvery))
                        .run(round, throttle, () -> false);
    }

    /** With one that lives, whose copy fails. */
    private Region regionWithUncounted() {
        Region region = region();
        long freed = object(region, 2);
        long copied = object(region, 3);
        long _ = evacuation(EvacuationFailurePolicy.PIN, 0).free(freed, GENERATION);
        long header = ObjectLayout.header(100, ObjectLayout.NO_INDEX);
        long _ = region.allocate(ObjectLayout.footprint(100), header);
        long word = table.word(copied);
        Region to = region();
        long copy = to.allocate(FOOTPRINT, ObjectLayout.header(Long.BYTES, copied));
        setContent(copy, 3);
        long moved = HandleWordLayout.movedTo(word, copy);
        assertThat(table.compareAndSet(copied, word, moved)).isTrue();
        return region;
    }

    @Test
    void deadAndNotCounted_nothingLives_goesBack() {
        Region region = regionWithUncounted();
        assertThat(region.liveObjects()).isEqualTo(3);
        cycle(region, 0);
        assertThat(regions.list()).doesNotContain(region);
    }

    @Test
    void deadAndNotCounted_somethingStays_isCounted() {
        Region region = regionWithUncounted();
        long kept = object(region, 1);
        cycle(region, 1);
        assertThat(regions.list()).contains(region);
        assertThat(region.liveObjects()).isEqualTo(1);
        assertThat(region.liveBytes()).isEqualTo(FOOTPRINT);
        assertThat(content(kept)).isEqualTo(1);
    }

    @Test
    void deadAndCounted_isNotCountedTwice() {
        Region region = region();
        long kept = object(region, 1);
        long freed = object(region, 2);
        long _ = evacuation(EvacuationFailurePolicy.PIN, 0).free(freed, GENERATION);
        long _ = region.died(FOOTPRINT);
        cycle(region, 1);
        cycle(region, 1);
        assertThat(region.liveObjects()).isEqualTo(1);
        assertThat(content(kept)).isEqualTo(1);
    }

    /** A cycle that was cut off in any phase is ended, with what was pinned and copied in it. */
    @Test
    void cycleCutOff_isEndedByTheNext() {
        for (int phase = Region.STABLE; phase <= Region.FINISHING; phase++) {
            Region region = region();
            long pinned = object(region, 5);
            region.retire();
            region.inCollectionSet = true;
            region.phase = phase;
            setState(pinned, HandleWordLayout.PINNED);
            Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 0);
            evacuation.underWay = true;
            cycle(evacuation).recover();
            assertThat(evacuation.underWay).isFalse();
            assertThat(region.phase).isEqualTo(Region.STABLE);
            assertThat(region.inCollectionSet).isFalse();
            assertThat(state(pinned)).isEqualTo(HandleWordLayout.LIVE);
            assertThat(regions.list()).hasSize(phase + 1);
        }
    }
}
