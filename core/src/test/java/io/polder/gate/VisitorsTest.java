package io.polder.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

import java.util.Objects;

/** Who has which slot, who finds whom, and what {@code verify} finds broken. */
class VisitorsTest {
    private final Slots slots = new Slots();
    private final Drain drain = new Drain();
    private final Stripes stripes = new Stripes(1);
    private final Door door = new Door(new CounterProtocol(stripes, drain, () -> {}));
    private final Visitors<SlotVisitor> visitors =
            new Visitors<>(
                    slots,
                    (owner, place) -> new SlotVisitor(owner, door, place, drain),
                    Slots.FENCED);
    private final VisitorTable<SlotVisitor> table =
            new VisitorTable<>(visitors, new SlotVisitor[VisitorTable.ENTRIES]);

    private SlotVisitor find() {
        return Objects.requireNonNull(table.find(Thread.currentThread()));
    }

    @Test
    void find_again_isTheSame() {
        SlotVisitor first = find();
        assertThat(first.ownerId()).isEqualTo(Thread.currentThread().threadId());
        assertThat(find()).isSameAs(first);
        assertThat(visitors.find(first.ownerId())).isSameAs(first);
        assertThat(visitors.count().threads()).isEqualTo(1);
    }

    @Test
    void find_inAVirtualThread_isNone() {
        try (Guest guest = Guest.virtual()) {
            assertThat(guest.<Boolean>call(() -> table.find(Thread.currentThread()) == null))
                    .isTrue();
        }
        assertThat(slots.count()).isZero();
    }

    @Test
    void find_idsThatNameOneEntry_isEachItsOwn() {
        SlotVisitor here = find();
        try (Guest guest = sameEntry()) {
            SlotVisitor there = guest.call(this::find);
            assertThat(there).isNotSameAs(here);
            assertThat(there.ownerId()).isEqualTo(guest.thread().threadId());
            assertThat(guest.call(this::find)).isSameAs(there);
            assertThat(find()).isSameAs(here);
        }
        visitors.verify(0);
    }

    /** A thread whose id names the same entry as that of this one. */
    private static Guest sameEntry() {
        long wanted = Thread.currentThread().threadId() % VisitorTable.ENTRIES;
        while (true) {
            long id = Thread.ofPlatform().unstarted(() -> {}).threadId() + 1;
            if (id % VisitorTable.ENTRIES == wanted) {
                Guest guest = Guest.platform();
                if (guest.thread().threadId() == id) {
                    return guest;
                }
                guest.close(); // somebody else made a thread
            }
        }
    }

    @Test
    void register_whileSignalled_givesTheSlotTheSignal() {
        visitors.addSignal(Slots.CLOSED);
        SlotVisitor visitor = find();
        assertThat(visitor.tryEnterUnchecked()).isFalse();
        visitors.verify(Slots.CLOSED);
        visitors.removeSignal(Slots.CLOSED);
        assertThat(visitor.tryEnterUnchecked()).isTrue();
        visitor.leaveUnchecked();
        visitors.verifyEmpty();
    }

    @Test
    void register_slotOfAnEndedThread_isUsedAgainInANewVisit() {
        try (Guest guest = Guest.platform()) {
            guest.run(() -> find().tryEnterUnchecked());
        }
        long before = Slots.visitAcquire(slots.get(0));
        assertThat(Visit.isInside(before)).isTrue();
        SlotVisitor here = find();
        assertThat(here.slot()).isZero();
        assertThat(visitors.count().endedInside()).isEqualTo(1);
        here.tryEnterUnchecked();
        long now = Slots.visitAcquire(slots.get(0));
        assertThat(Visit.isInside(now)).isTrue();
        assertThat(Visit.lasts(before, now)).isFalse();
        here.leaveUnchecked();
        visitors.verify(0);
        visitors.verifyEmpty();
    }

    @Test
    void verify_slotOccupiedWithoutVisitor_throws() {
        SlotVisitor here = find();
        try (Guest guest = Guest.platform()) {
            guest.run(this::find);
        }
        visitors.buryEnded();
        visitors.verify(0);
        int other = 1 - here.slot();
        Slots.setVisitRelease(slots.get(other), Visit.BEGIN);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> visitors.verify(0))
                .withMessageContaining("a free slot is empty")
                .withMessageContaining("owner=none");
    }

    @Test
    void verify_signalMissing_throws() {
        SlotVisitor here = find();
        visitors.addSignal(Slots.CLOSED);
        Slots.setSignals(slots.get(here.slot()), 0);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> visitors.verify(0))
                .withMessageContaining("every slot has the signals of all");
    }

    @Test
    void verifyEmpty_somebodyInside_throws() {
        find().tryEnterUnchecked();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(visitors::verifyEmpty)
                .withMessageContaining("nobody is inside");
    }

    @Test
    void visit_numbersThatWrap_stayApart() {
        long last = (-1L << Integer.SIZE) + 1;
        long next = Visit.ended(last) + Visit.BEGIN;
        assertThat(Visit.depth(next)).isEqualTo(1);
        assertThat(Visit.lasts(last, next)).isFalse();
        assertThat(Visit.lasts(last, last + Visit.ONCE)).isTrue();
        assertThat(Visit.lasts(last, Visit.ended(last))).isFalse();
    }
}
