package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.gate.Gate;
import io.polder.gate.GateFence;
import io.polder.heap.EvacuationFailurePolicy;
import io.polder.heap.HeapOptions;

import org.junit.jupiter.api.Test;

/** What is found again after operations were cut off between a change and its count. */
class RecountTest extends EvacuationFixture {
    private static final long FOOTPRINT = ObjectLayout.footprint(Long.BYTES);

    private final Gate access = new Gate(GateFence.choose());
    private final Recount recount = new Recount(accounting, access, regions, table, leaves);
    private final Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 0);

    private void count() {
        accounting.dirty = true;
        recount.runIfNeeded();
        assertThat(accounting.dirty).isFalse();
    }

    @Test
    void freedAndNotCounted_isCounted() {
        Region region = region();
        long kept = object(region, 1);
        long freed = object(region, 2);
        long _ = evacuation.free(freed, GENERATION);
        assertThat(region.liveObjects()).isEqualTo(2);
        count();
        assertThat(region.liveObjects()).isEqualTo(1);
        assertThat(region.liveBytes()).isEqualTo(FOOTPRINT);
        assertThat(content(kept)).isEqualTo(1);
    }

    @Test
    void freedAndCounted_isNotCountedTwice() {
        Region region = region();
        long kept = object(region, 1);
        long freed = object(region, 2);
        long _ = evacuation.free(freed, GENERATION);
        long _ = region.died(FOOTPRINT);
        count();
        count();
        assertThat(region.liveObjects()).isEqualTo(1);
        assertThat(content(kept)).isEqualTo(1);
    }

    /** Room for an object that never got a handle. */
    @Test
    void roomWithoutAWord_isDead() {
        Region region = region();
        long header = ObjectLayout.header(100, ObjectLayout.NO_INDEX);
        long _ = region.allocate(ObjectLayout.footprint(100), header);
        region.retire();
        assertThat(region.isEmptied()).isFalse();
        count();
        assertThat(region.isEmptied()).isTrue();
    }

    /** The header names a slot that another object has got. */
    @Test
    void slotOfAnother_isDead() {
        Region region = region();
        long index = object(region, 7);
        long header = ObjectLayout.header(Long.BYTES, index);
        long _ = region.allocate(FOOTPRINT, header);
        count();
        assertThat(region.liveObjects()).isEqualTo(1);
        assertThat(content(index)).isEqualTo(7);
    }

    @Test
    void copiedAndNotCounted_isCounted() {
        Region from = region();
        long index = object(from, 7);
        from.retire();
        from.setPhase(Region.EVACUATING);
        Region to = region();
        long copy = to.allocate(FOOTPRINT, ObjectLayout.header(Long.BYTES, index));
        long word = table.word(index);
        setContent(copy, 7);
        assertThat(table.compareAndSet(index, word, HandleWordLayout.movedTo(word, copy))).isTrue();
        assertThat(from.isEmptied()).isFalse();
        count();
        assertThat(from.isEmptied()).isTrue();
        assertThat(to.liveObjects()).isEqualTo(1);
    }

    @Test
    void largeWithoutAWord_isDead() {
        Region region = regions.openLarge(9 << 20);
        assertThat(region.isEmptied()).isFalse();
        count();
        assertThat(region.isEmptied()).isTrue();
        HeapCheck.verify(region);
    }

    /** A cycle that was cut off in any phase is ended, with what was pinned and copied in it. */
    @Test
    void cycleCutOff_isEndedByTheNext() {
        for (int phase = Region.STABLE; phase <= Region.FINISHING; phase++) {
            Region region = region();
            long pinned = object(region, 5);
            region.retire();
            region.setInCollectionSet(true);
            region.setPhase(phase);
            setState(pinned, HandleWordLayout.PINNED);
            evacuation.setUnderWay(true);
            ToSpace toSpace = new ToSpace(regions, pages, HeapSettings.of(HeapOptions.DEFAULT));
            Cycle cycle = new Cycle(access, evacuation, toSpace, regions, pages, counts, 0);
            cycle.recover();
            assertThat(evacuation.isUnderWay()).isFalse();
            assertThat(region.phase()).isEqualTo(Region.STABLE);
            assertThat(region.isInCollectionSet()).isFalse();
            assertThat(state(pinned)).isEqualTo(HandleWordLayout.LIVE);
            assertThat(regions.list()).hasSize(phase + 1);
        }
    }
}
