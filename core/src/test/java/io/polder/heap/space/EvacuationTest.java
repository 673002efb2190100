package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.gate.GateCheck;
import io.polder.gate.ScriptedThread;
import io.polder.heap.EvacuationFailurePolicy;
import io.polder.heap.space.Evacuation.Outcome;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.FutureTask;

/** What becomes of one object that a thread wants to change, copy or free, phase by phase. */
class EvacuationTest extends EvacuationFixture {
    private final Region region = region();
    private final long index = object(region, 41);
    private final long address = HandleWordLayout.address(table.word(index));

    private void assertHere(long word, int state) {
        assertThat(HandleWordLayout.address(word)).isEqualTo(address);
        assertThat(HandleWordLayout.state(word)).isEqualTo(state);
        assertThat(word).isEqualTo(table.word(index));
    }

    @Test
    void writeBarrier_stable_staysAsItIs() {
        Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 0);
        assertHere(writeBarrier(evacuation, index, GENERATION), HandleWordLayout.LIVE);
        assertThat(counts.pinnedObjects.sum()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {Region.PREPARING, Region.FINISHING})
    void writeBarrier_preparingOrFinishing_pinsOnce(int phase) {
        Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 0);
        region.phase = phase;
        assertHere(writeBarrier(evacuation, index, GENERATION), HandleWordLayout.PINNED);
        assertHere(writeBarrier(evacuation, index, GENERATION), HandleWordLayout.PINNED);
        assertThat(counts.pinnedObjects.sum()).isEqualTo(1);
        assertThat(counts.copiedObjects.sum()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void writeBarrier_evacuating_copiesAndCountsTheOldOneDead(EvacuationFailurePolicy policy) {
        Evacuation evacuation = evacuation(policy, 0);
        region.phase = Region.EVACUATING;
        long word = writeBarrier(evacuation, index, GENERATION);
        assertThat(HandleWordLayout.address(word)).isNotEqualTo(address);
        assertThat(HandleWordLayout.state(word)).isEqualTo(HandleWordLayout.LIVE);
        assertThat(HandleWordLayout.generation(word)).isEqualTo(GENERATION);
        assertThat(content(index)).isEqualTo(41);
        assertThat(ObjectLayout.index(HandleWordLayout.address(word))).isEqualTo(index);
        assertThat(region.liveBytes()).isZero();
        assertThat(regionOf(index).liveObjects()).isEqualTo(1);
        assertThat(counts.helpedObjects.sum()).isEqualTo(1);
        assertThat(writeBarrier(evacuation, index, GENERATION)).as("is moved").isEqualTo(word);
        assertThat(counts.copiedObjects.sum()).isEqualTo(1);
        if (policy == EvacuationFailurePolicy.CLOSE) {
            GateCheck.verifyEmpty(gateOf(evacuation));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Region.STABLE, Region.PREPARING, Region.EVACUATING, Region.FINISHING})
    void writeBarrier_pinned_staysInEveryPhase(int phase) {
        Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 0);
        setState(index, HandleWordLayout.PINNED);
        region.phase = phase;
        assertHere(writeBarrier(evacuation, index, GENERATION), HandleWordLayout.PINNED);
    }

    @Test
    void writeBarrier_freedOrOfAnotherGeneration_isAsFound() {
        Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 0);
        region.phase = Region.EVACUATING;
        assertThat(writeBarrier(evacuation, index, GENERATION + 1)).isEqualTo(table.word(index));
        assertThat(writeBarrier(evacuation, index + 1, GENERATION)).isZero();
        long _ = evacuation.free(index, GENERATION);
        assertThat(HandleWordLayout.names(writeBarrier(evacuation, index, GENERATION), GENERATION))
                .isFalse();
        assertThat(counts.copiedObjects.sum()).isZero();
    }

    /** Nobody is changing it: it is copied, as if it had never been pinned. */
    @Test
    void writeBarrier_unpinned_copies() {
        Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 0);
        region.phase = Region.EVACUATING;
        setState(index, HandleWordLayout.UNPINNED);
        long word = writeBarrier(evacuation, index, GENERATION);
        assertThat(HandleWordLayout.address(word)).isNotEqualTo(address);
        assertThat(HandleWordLayout.state(word)).isEqualTo(HandleWordLayout.LIVE);
        assertThat(content(index)).isEqualTo(41);
        assertThat(region.liveBytes()).isZero();
    }

    /** Somebody is changing it where it is: so do others, and no copy is made. */
    @Test
    void writeBarrier_unpinnedWhileChanged_pinsAgain() {
        Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 0);
        region.phase = Region.EVACUATING;
        setState(index, HandleWordLayout.UNPINNED);
        evacuation.pins.enter(index);
        assertHere(writeBarrier(evacuation, index, GENERATION), HandleWordLayout.PINNED);
        assertThat(counts.copiedObjects.sum()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {HandleWordLayout.LIVE, HandleWordLayout.PINNED, HandleWordLayout.UNPINNED})
    void free_inAnyState_keepsTheGeneration(int state) {
        Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 0);
        setState(index, state);
        long before = table.word(index);
        assertThat(evacuation.free(index, GENERATION + 1)).as("another object").isZero();
        assertThat(evacuation.free(index, GENERATION)).isEqualTo(before);
        assertThat(table.word(index)).isEqualTo(HandleWordLayout.free(GENERATION));
        assertThat(evacuation.free(index, GENERATION)).as("freed already").isZero();
    }

    /**
     * As long as its word names it, an object is not counted dead: else its region would be given
     * back under those who find it by the word.
     */
    @Test
    void evacuate_publicationHeldUp_isNotCountedDeadBefore() {
        Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 0);
        region.retire();
        region.phase = Region.EVACUATING;
        long word = table.word(index);
        long at = table.wordAddress(index);
        try (ScriptedThread copier = ScriptedThread.platform()) {
            FutureTask<Boolean> copied;
            synchronized (table.moves) {
                RawAccess.setRelease(at, HandleWordLayout.frozen(word));
                copied =
                        copier.beginBlocking(
                                () ->
                                        assertThat(evacuation.evacuate(index, word, region))
                                                .isEqualTo(Outcome.COPIED));
                ScriptedThread.pause();
                assertThat(copied.isDone()).isFalse();
                assertThat(regions.count()).as("the copy has been made").isEqualTo(2);
                assertThat(region.isEmptied()).isFalse();
                RawAccess.setRelease(at, word);
            }
            ScriptedThread.get(copied);
        }
        assertThat(region.isEmptied()).isTrue();
    }

    /** Two copy at the same time: one copy counts, the other one is dead. */
    @Test
    void evacuate_copiedByTwo_oneIsDead() {
        Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 0);
        region.phase = Region.EVACUATING;
        long word = table.word(index);
        long at = table.wordAddress(index);
        try (ScriptedThread copier = ScriptedThread.platform()) {
            FutureTask<Boolean> second;
            synchronized (table.moves) {
                RawAccess.setRelease(at, HandleWordLayout.frozen(word));
                second =
                        copier.beginBlocking(
                                () ->
                                        assertThat(evacuation.evacuate(index, word, region))
                                                .isEqualTo(Outcome.LOST));
                ScriptedThread.pause();
                assertThat(regions.count()).as("the copy has been made").isEqualTo(2);
                RawAccess.setRelease(at, word);
                assertThat(evacuation.evacuate(index, word, region)).isEqualTo(Outcome.COPIED);
            }
            ScriptedThread.get(second);
        }
        assertThat(region.liveBytes()).isZero();
        assertThat(regionOf(index).liveObjects()).isEqualTo(1);
        assertThat(regionOf(index).filledBytes()).isEqualTo(2 * regionOf(index).liveBytes());
        assertThat(content(index)).isEqualTo(41);
    }

    /** What is pinned, unpinned, moved or freed meanwhile is not copied. */
    @ParameterizedTest
    @ValueSource(ints = {HandleWordLayout.PINNED, HandleWordLayout.UNPINNED})
    void evacuate_changedMeanwhile_isLost(int state) {
        Evacuation evacuation = evacuation(EvacuationFailurePolicy.CLOSE, 0);
        region.phase = Region.EVACUATING;
        long before = table.word(index);
        setState(index, state);
        assertThat(evacuation.evacuate(index, before, region)).isEqualTo(Outcome.LOST);
        assertThat(counts.copiedObjects.sum()).isZero();
        assertThat(gateOf(evacuation).isClosed()).isFalse();
        GateCheck.verifyEmpty(gateOf(evacuation));
        setState(index, HandleWordLayout.LIVE);
        long _ = evacuation.free(index, GENERATION);
        assertThat(evacuation.evacuate(index, before, region)).isEqualTo(Outcome.LOST);
    }

    @Test
    void evacuateRegion_copiesWhatIsAliveAndNotBeingChanged() {
        Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 0);
        long pinned = object(region, 42);
        long changing = object(region, 43);
        long freed = object(region, 44);
        long last = object(region, 45);
        setState(pinned, HandleWordLayout.PINNED);
        setState(changing, HandleWordLayout.PINNED);
        long word = evacuation.free(freed, GENERATION);
        region.died(ObjectLayout.footprint(Long.BYTES));
        region.retire();
        region.phase = Region.EVACUATING;
        PinCounts pins = evacuation.pins;
        long _ = evacuation.writeBarrier(changing, GENERATION, pins);
        assertThat(evacuation.evacuateRegion(region, throttle)).isTrue();
        assertThat(counts.copiedObjects.sum()).isEqualTo(3);
        assertThat(regionOf(index)).isNotSameAs(region).isSameAs(regionOf(last));
        assertThat(regionOf(pinned)).isNotSameAs(region);
        assertThat(state(pinned)).isEqualTo(HandleWordLayout.LIVE);
        assertThat(regionOf(changing)).isSameAs(region);
        assertThat(state(changing)).isEqualTo(HandleWordLayout.PINNED);
        assertThat(region.liveObjects()).isEqualTo(1);
        assertThat(content(index)).isEqualTo(41);
        assertThat(content(pinned)).isEqualTo(42);
        assertThat(content(changing)).isEqualTo(43);
        assertThat(content(last)).isEqualTo(45);
        pins.leave(changing);
        assertThat(evacuation.evacuateRegion(region, throttle)).isTrue();
        assertThat(region.liveObjects()).isZero();
        assertThat(content(changing)).isEqualTo(43);
        assertThat(HandleWordLayout.address(word)).isPositive();
    }

    /** What there is no room for stays, and can be moved by the next cycle. */
    @Test
    void unpin_makesObjectsMovableAgain() {
        Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 1);
        region.retire();
        region.phase = Region.EVACUATING;
        assertThat(evacuation.evacuateRegion(region, throttle)).isTrue();
        assertThat(state(index)).isEqualTo(HandleWordLayout.PINNED);
        region.phase = Region.STABLE;
        evacuation.unpin(region);
        assertThat(state(index)).isEqualTo(HandleWordLayout.LIVE);
        assertThat(HandleWordLayout.address(table.word(index))).isEqualTo(address);
    }

    /** Two that are changed at the same time in the same place are waited for both. */
    @Test
    void evacuate_changedByTwo_isMovedWhenBothHaveDone() {
        Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 0);
        region.phase = Region.PREPARING;
        PinCounts pins = evacuation.pins;
        long first = evacuation.writeBarrier(index, GENERATION, pins);
        long second = evacuation.writeBarrier(index, GENERATION, pins);
        assertHere(first, HandleWordLayout.PINNED);
        assertHere(second, HandleWordLayout.PINNED);
        region.phase = Region.EVACUATING;
        for (int left = 2; left > 0; left--) {
            assertThat(evacuation.evacuate(index, first, region)).isEqualTo(Outcome.LOST);
            assertHere(table.word(index), HandleWordLayout.PINNED);
            pins.leave(index);
        }
        assertThat(evacuation.evacuate(index, first, region)).isEqualTo(Outcome.COPIED);
        assertThat(content(index)).isEqualTo(41);
        assertThat(region.liveBytes()).isZero();
    }

    /** A count that was never taken back holds an object for one cycle and no longer. */
    @Test
    void evacuate_countForgotten_isMovedInTheNextCycle() {
        Evacuation evacuation = evacuation(EvacuationFailurePolicy.PIN, 0);
        region.phase = Region.PREPARING;
        long word = evacuation.writeBarrier(index, GENERATION, evacuation.pins);
        region.phase = Region.EVACUATING;
        assertThat(evacuation.evacuate(index, word, region)).isEqualTo(Outcome.LOST);
        evacuation.pins = new PinCounts();
        assertThat(evacuation.evacuate(index, word, region)).isEqualTo(Outcome.COPIED);
    }
}
