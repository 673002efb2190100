package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

import java.util.Objects;

/** Who has which slot, who finds whom, and what {@code verify} finds broken. */
class ReaderRegistryTest {
    private final Slots slots = new Slots();
    private final ReaderWait readerWait = new ReaderWait();
    private final Stripes stripes = new Stripes(1);
    private final ClosedState closedState =
            new ClosedState(new CounterProtocol(stripes, readerWait, () -> {}));
    private final ReaderRegistry<SlotReader> readers =
            new ReaderRegistry<>(
                    slots,
                    (owner, place) -> new SlotReader(owner, closedState, place, readerWait),
                    Slots.FENCED);
    private final ReaderTable<SlotReader> table =
            new ReaderTable<>(readers, new SlotReader[ReaderTable.ENTRIES]);

    private SlotReader find() {
        return Objects.requireNonNull(table.find(Thread.currentThread()));
    }

    @Test
    void find_again_isTheSame() {
        SlotReader first = find();
        assertThat(first.ownerId()).isEqualTo(Thread.currentThread().threadId());
        assertThat(find()).isSameAs(first);
        assertThat(readers.find(first.ownerId())).isSameAs(first);
        assertThat(readers.count().threads()).isEqualTo(1);
    }

    @Test
    void find_inAVirtualThread_isNone() {
        try (ScriptedThread guest = ScriptedThread.virtual()) {
            assertThat(guest.<Boolean>call(() -> table.find(Thread.currentThread()) == null))
                    .isTrue();
        }
        assertThat(slots.count()).isZero();
    }

    @Test
    void find_idsThatNameOneEntry_isEachItsOwn() {
        SlotReader here = find();
        try (ScriptedThread guest = sameEntry()) {
            SlotReader there = guest.call(this::find);
            assertThat(there).isNotSameAs(here);
            assertThat(there.ownerId()).isEqualTo(guest.thread().threadId());
            assertThat(guest.call(this::find)).isSameAs(there);
            assertThat(find()).isSameAs(here);
        }
        GateCheck.verify(readers, 0);
    }

    /** A thread whose id names the same entry as that of this one. */
    private static ScriptedThread sameEntry() {
        long wanted = Thread.currentThread().threadId() % ReaderTable.ENTRIES;
        while (true) {
            long id = Thread.ofPlatform().unstarted(() -> {}).threadId() + 1;
            if (id % ReaderTable.ENTRIES == wanted) {
                ScriptedThread guest = ScriptedThread.platform();
                if (guest.thread().threadId() == id) {
                    return guest;
                }
                guest.close(); // somebody else made a thread
            }
        }
    }

    @Test
    void register_whileSignalled_givesTheSlotTheSignal() {
        readers.addSignal(Slots.CLOSED);
        SlotReader reader = find();
        assertThat(reader.tryEnterUnchecked()).isFalse();
        GateCheck.verify(readers, Slots.CLOSED);
        readers.removeSignal(Slots.CLOSED);
        assertThat(reader.tryEnterUnchecked()).isTrue();
        reader.leaveUnchecked();
        GateCheck.verifyEmpty(readers);
    }

    @Test
    void register_slotOfAnEndedThread_isUsedAgainInANewSection() {
        try (ScriptedThread guest = ScriptedThread.platform()) {
            guest.run(() -> find().tryEnterUnchecked());
        }
        long before = Slots.sectionAcquire(slots.get(0));
        assertThat(CriticalSection.isInside(before)).isTrue();
        SlotReader here = find();
        assertThat(here.slot()).isZero();
        assertThat(readers.count().endedInside()).isEqualTo(1);
        here.tryEnterUnchecked();
        long now = Slots.sectionAcquire(slots.get(0));
        assertThat(CriticalSection.isInside(now)).isTrue();
        assertThat(CriticalSection.lasts(before, now)).isFalse();
        here.leaveUnchecked();
        GateCheck.verify(readers, 0);
        GateCheck.verifyEmpty(readers);
    }

    @Test
    void verify_slotOccupiedWithoutReader_throws() {
        SlotReader here = find();
        try (ScriptedThread guest = ScriptedThread.platform()) {
            guest.run(this::find);
        }
        readers.reapEnded();
        GateCheck.verify(readers, 0);
        int other = 1 - here.slot();
        Slots.setSectionRelease(slots.get(other), CriticalSection.BEGIN);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> GateCheck.verify(readers, 0))
                .withMessageContaining("a free slot is empty")
                .withMessageContaining("owner=none");
    }

    @Test
    void verify_signalMissing_throws() {
        SlotReader here = find();
        readers.addSignal(Slots.CLOSED);
        Slots.setSignals(slots.get(here.slot()), 0);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> GateCheck.verify(readers, 0))
                .withMessageContaining("every slot has the signals of all");
    }

    @Test
    void verifyEmpty_somebodyInside_throws() {
        find().tryEnterUnchecked();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> GateCheck.verifyEmpty(readers))
                .withMessageContaining("nobody is inside");
    }

    @Test
    void section_numbersThatWrap_stayApart() {
        long last = (-1L << Integer.SIZE) + 1;
        long next = CriticalSection.ended(last) + CriticalSection.BEGIN;
        assertThat(CriticalSection.depth(next)).isEqualTo(1);
        assertThat(CriticalSection.lasts(last, next)).isFalse();
        assertThat(CriticalSection.lasts(last, last + CriticalSection.NESTED)).isTrue();
        assertThat(CriticalSection.lasts(last, CriticalSection.ended(last))).isFalse();
    }
}
