package io.polder.heap.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.gate.Gate;
import io.polder.gate.GateCheck;
import io.polder.gate.Scopes;
import io.polder.gate.ScriptedThread;
import io.polder.heap.EvacuationFailurePolicy;
import io.polder.heap.space.Evacuation.Outcome;

import org.junit.jupiter.api.Test;

import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;

/**
 * No room for a copy, step by step. The mistakes that others have made here, and the rule against
 * each: whoever enters tests the mark, or copies after it; a nested scope gives its count back
 * before it waits, or waits for itself; nothing blocks inside; the mark stays, or who comes late
 * misses it; one object has one current copy for everybody.
 */
class EvacuationOutOfMemoryTest extends EvacuationFixture {
    private static final int ALL_FAIL = 1;

    private final Region region = region();
    private final long index = object(region, 41);
    private final long other = object(region, 42);
    private final long address = HandleWordLayout.address(table.word(index));

    private Evacuation evacuating(EvacuationFailurePolicy policy, int failEvery) {
        region.phase = Region.EVACUATING;
        return evacuation(policy, failEvery);
    }

    @Test
    void pin_noRoom_staysAndNobodyIsHeldUp() {
        Evacuation evacuation = evacuating(EvacuationFailurePolicy.PIN, ALL_FAIL);
        assertThat(evacuation.evacuate(index, table.word(index), region))
                .isEqualTo(Outcome.NO_ROOM);
        assertThat(state(index)).isEqualTo(HandleWordLayout.PINNED);
        assertThat(HandleWordLayout.address(table.word(index))).isEqualTo(address);
        assertThat(evacuation.gate).as("nothing to pass").isNull();
        assertThat(counts.refusedCopies.sum()).isEqualTo(1);
        assertThat(region.liveObjects()).isEqualTo(2);
    }

    @Test
    void pin_noRoomForAnUpdate_isDoneInPlace() {
        Evacuation evacuation = evacuating(EvacuationFailurePolicy.PIN, ALL_FAIL);
        long word = writeBarrier(evacuation, index, GENERATION);
        assertThat(HandleWordLayout.address(word)).isEqualTo(address);
        assertThat(HandleWordLayout.state(word)).isEqualTo(HandleWordLayout.PINNED);
        assertThat(counts.helpedObjects.sum()).isZero();
        assertThat(counts.waitsForCopies.sum()).as("nobody is waited for").isZero();
    }

    /** The walk goes on after one that failed. */
    @Test
    void pin_everySecondFails_theOthersAreCopied() {
        Evacuation evacuation = evacuating(EvacuationFailurePolicy.PIN, 2);
        for (int i = 0; i < 98; i++) {
            object(region, i);
        }
        assertThat(evacuation.evacuateRegion(region, throttle)).isTrue();
        assertThat(counts.copiedObjects.sum()).isEqualTo(50);
        assertThat(region.liveObjects()).isEqualTo(50);
    }

    @Test
    void close_noRoom_undoesTheClaimAndClosesTheGate() {
        Evacuation evacuation = evacuating(EvacuationFailurePolicy.CLOSE, ALL_FAIL);
        long word = table.word(index);
        assertThat(evacuation.evacuate(index, word, region)).isEqualTo(Outcome.NO_ROOM);
        assertThat(table.word(index)).isEqualTo(word);
        assertThat(gateOf(evacuation).isClosed()).isTrue();
        assertThat(gateOf(evacuation).isInside()).isFalse();
        GateCheck.verifyEmpty(gateOf(evacuation));
    }

    /** Lesson of PR 439: whoever comes after the mark does not copy, whatever room there is. */
    @Test
    void afterTheMark_nobodyCopies() {
        Evacuation evacuation = evacuating(EvacuationFailurePolicy.CLOSE, 2);
        Outcome first = evacuation.evacuate(index, table.word(index), region);
        assertThat(first).isEqualTo(Outcome.COPIED);
        long third = object(region, 43);
        assertThat(evacuation.evacuate(other, table.word(other), region))
                .isEqualTo(Outcome.NO_ROOM);
        long copied = counts.copiedObjects.sum();
        for (long each : new long[] {other, third}) {
            long word = table.word(each);
            assertThat(evacuation.evacuate(each, word, region)).isEqualTo(Outcome.REFUSED);
            assertThat(writeBarrier(evacuation, each, GENERATION)).as("in place").isEqualTo(word);
        }
        assertThat(evacuation.evacuateRegion(region, throttle)).as("the walk ends").isFalse();
        assertThat(counts.copiedObjects.sum()).isEqualTo(copied);
        gateOf(evacuation).reopen();
        assertThat(evacuation.evacuate(third, table.word(third), region)).isEqualTo(Outcome.COPIED);
    }

    /** Lesson of PR 17385: the first may fail before any other has entered; the mark stays. */
    @Test
    void firstFailsAlone_laterOnesSeeTheMark() {
        Evacuation evacuation = evacuating(EvacuationFailurePolicy.CLOSE, ALL_FAIL);
        try (ScriptedThread first = ScriptedThread.platform();
                ScriptedThread later = ScriptedThread.virtual()) {
            assertThat(first.call(() -> evacuation.evacuateRegion(region, throttle))).isFalse();
            assertThat(counts.refusedCopies.sum()).isEqualTo(1);
            assertThat(later.call(() -> evacuation.evacuate(other, table.word(other), region)))
                    .isEqualTo(Outcome.REFUSED);
            assertThat(later.call(() -> writeBarrier(evacuation, other, GENERATION)))
                    .isEqualTo(table.word(other));
        }
        assertThat(counts.refusedCopies.sum()).isEqualTo(1);
    }

    /** Lesson of PR 439: a nested scope must not wait for the count it has itself. */
    @Test
    void noRoomInANestedScope_doesNotWaitForItself() {
        Evacuation evacuation = evacuating(EvacuationFailurePolicy.CLOSE, ALL_FAIL);
        Gate gate = gateOf(evacuation);
        Scopes scopes = new Scopes(gate);
        scopes.enter();
        scopes.enter();
        assertThat(evacuation.evacuate(index, table.word(index), region))
                .isEqualTo(Outcome.NO_ROOM);
        assertThat(gate.isInside()).as("gave all scopes up").isFalse();
        GateCheck.verifyEmpty(gate);
        scopes.leave();
        scopes.leave();
        gate.reopen();
        GateCheck.verifyEmpty(gate);
    }

    /** Two that fail at a time wait for neither each other nor themselves. */
    @Test
    void twoFailAtATime_neitherWaitsForTheOther() {
        Evacuation evacuation = evacuating(EvacuationFailurePolicy.CLOSE, ALL_FAIL);
        Gate gate = gateOf(evacuation);
        Scopes scopes = new Scopes(gate);
        try (ScriptedThread first = ScriptedThread.platform();
                ScriptedThread second = ScriptedThread.platform()) {
            second.run(scopes::enter);
            FutureTask<Boolean> failed =
                    first.beginBlocking(
                            () -> {
                                Outcome outcome =
                                        evacuation.evacuate(index, table.word(index), region);
                                assertThat(outcome).isEqualTo(Outcome.NO_ROOM);
                            });
            Outcome outcome =
                    second.call(() -> evacuation.evacuate(other, table.word(other), region));
            assertThat(outcome).isEqualTo(Outcome.NO_ROOM);
            ScriptedThread.get(failed);
            second.run(scopes::leave);
        }
        gate.reopen();
        GateCheck.verifyEmpty(gate);
    }

    /**
     * Who is refused must wait until nobody is inside: a helper that entered before the mark may
     * still publish its copy, and that is where the object is then, for everybody.
     */
    @Test
    void refusedWhileSomebodyCopies_waitsAndFindsTheCopy() {
        Evacuation evacuation = evacuating(EvacuationFailurePolicy.CLOSE, 0);
        Gate gate = gateOf(evacuation);
        Scopes scopes = new Scopes(gate);
        AtomicLong resolved = new AtomicLong();
        try (ScriptedThread helper = ScriptedThread.platform();
                ScriptedThread closer = ScriptedThread.platform();
                ScriptedThread updater = ScriptedThread.platform()) {
            helper.run(scopes::enter);
            FutureTask<Boolean> closed = closer.beginBlocking(gate::close);
            FutureTask<Boolean> waited =
                    updater.beginBlocking(
                            () -> resolved.set(writeBarrier(evacuation, index, GENERATION)));
            assertThat(table.word(index)).as("nobody has claimed it").isNotZero();
            Outcome outcome =
                    helper.call(() -> evacuation.evacuate(index, table.word(index), region));
            assertThat(outcome).as("who is inside may finish").isEqualTo(Outcome.COPIED);
            assertThat(waited.isDone()).isFalse();
            helper.run(scopes::leave);
            ScriptedThread.get(closed);
            ScriptedThread.get(waited);
        }
        assertThat(resolved.get()).isEqualTo(table.word(index));
        assertThat(HandleWordLayout.address(resolved.get())).isNotEqualTo(address);
        assertThat(content(index)).isEqualTo(41);
        assertThat(counts.waitsForCopies.sum()).isEqualTo(1);
        gate.reopen();
    }

    /** Lesson of PR 30841: nothing blocks inside, so who is inside for long is nobody's user. */
    @Test
    void blockedUpdater_isNotInsideTheEvacuationGate() {
        Evacuation evacuation = evacuating(EvacuationFailurePolicy.CLOSE, 0);
        long resolved = writeBarrier(evacuation, index, GENERATION);
        assertThat(gateOf(evacuation).isInside()).isFalse();
        GateCheck.verifyEmpty(gateOf(evacuation));
        assertThat(resolved).isEqualTo(table.word(index));
    }

    /**
     * A page that cannot be had for another reason leaves the object where it is, and the gate
     * empty.
     */
    @Test
    void pagesThatFail_leaveTheObjectWhereItIs() {
        for (EvacuationFailurePolicy policy : EvacuationFailurePolicy.values()) {
            Evacuation evacuation = evacuating(policy, ALL_FAIL);
            for (int i = 0; i < 3; i++) {
                Outcome _ = evacuation.evacuate(other, table.word(other), region);
                assertThat(content(other)).isEqualTo(42);
                assertThat(state(other)).isNotEqualTo(HandleWordLayout.UNPINNED);
                if (policy == EvacuationFailurePolicy.CLOSE) {
                    GateCheck.verifyEmpty(gateOf(evacuation));
                }
            }
            setState(other, HandleWordLayout.LIVE);
        }
    }
}
