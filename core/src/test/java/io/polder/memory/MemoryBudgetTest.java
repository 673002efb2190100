package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

class MemoryBudgetTest {
    private static final long MIB = 1 << 20;

    private final MemoryBudget budget = new MemoryBudget(new MemoryLimits(8 * MIB, 16 * MIB), "");
    private final List<String> asked = new ArrayList<>();

    /** A shrinker that gives back as much as it is asked for, as far as it has that. */
    private final class Stock implements MemoryBudget.Shrinker {
        private final String name;
        private long committed;
        private long reserved;

        Stock(String name, long committed, long reserved) {
            this.name = name;
            this.committed = committed;
            this.reserved = reserved;
            assertThat(budget.committed.tryCharge(committed)).isTrue();
            assertThat(budget.reserved.tryCharge(reserved)).isTrue();
            budget.add(this);
        }

        @Override
        public long uncommitFree(long wantedBytes) {
            asked.add(name + " uncommits " + wantedBytes / MIB);
            long bytes = Math.min(wantedBytes, committed);
            committed -= bytes;
            budget.committed.refund(bytes);
            return bytes;
        }

        @Override
        public long releaseFree(long wantedBytes) {
            asked.add(name + " releases " + wantedBytes / MIB);
            long bytes = Math.min(wantedBytes, reserved);
            reserved -= bytes;
            budget.reserved.refund(bytes);
            return bytes;
        }
    }

    @Test
    void tryCommit_upToTheLimit_andNoFurther() {
        assertThat(budget.committed.tryCharge(5 * MIB)).isTrue();
        assertThat(budget.committed.tryCharge(3 * MIB + 1)).isFalse();
        assertThat(budget.committed.bytes()).isEqualTo(5 * MIB);
        assertThat(budget.committed.roomBytes()).isEqualTo(3 * MIB);
        assertThat(budget.committed.tryCharge(3 * MIB)).isTrue();
        assertThat(budget.committed.tryCharge(1)).isFalse();
        budget.committed.refund(MIB);
        assertThat(budget.committed.tryCharge(Long.MAX_VALUE)).isFalse();
        assertThat(budget.committed.tryCharge(MIB)).isTrue();
        assertThat(budget.reserved.bytes()).isZero();
    }

    @Test
    void tryReserve_upToTheLimit_andNoFurther() {
        assertThat(budget.reserved.tryCharge(16 * MIB)).isTrue();
        assertThat(budget.reserved.tryCharge(1)).isFalse();
        assertThat(budget.reserved.roomBytes()).isZero();
        budget.reserved.refund(2 * MIB);
        assertThat(budget.reserved.roomBytes()).isEqualTo(2 * MIB);
        assertThat(budget.committed.bytes()).isZero();
    }

    @Test
    void exhausted_namesTheLimitAndWhatIsMissing() {
        assertThat(budget.committed.tryCharge(6 * MIB)).isTrue();
        assertThat(budget.reserved.tryCharge(16 * MIB)).isTrue();
        assertThat(budget.committed.exhausted(3 * MIB))
                .hasMessage(
                        "committed memory must stay within its limit: committedMaxBytes=8388608,"
                                + " committedBytes=6291456, requestedBytes=3145728,"
                                + " exceededByBytes=1048576")
                .satisfies(failure -> assertThat(failure.limit()).isNotNull());
        assertThat(budget.reserved.exhausted(MIB))
                .hasMessageContaining("reservedMaxBytes=16777216, reservedBytes=16777216")
                .hasMessageContaining("exceededByBytes=1048576");
    }

    /** Another thread may free memory before the message is made. */
    @Test
    void exhausted_roomCameMeanwhile_saysSo() {
        assertThat(budget.committed.tryCharge(6 * MIB)).isTrue();
        assertThat(budget.committed.exhausted(2 * MIB))
                .hasMessageEndingWith("requestedBytes=2097152, for which room came meanwhile");
        assertThat(budget.reserved.exhausted(MIB))
                .hasMessageEndingWith("requestedBytes=1048576, for which room came meanwhile");
    }

    @Test
    void refused_isNotByALimit() {
        OsCallException refusal = new OsCallException("mmap", Errno.ENOMEM, 0, 1);
        assertThat(MemoryExhaustedException.refused(refusal).limit()).isNull();
    }

    @Test
    void refund_ofWhatWasNotCharged_isAnError() {
        assertThat(budget.committed.tryCharge(MIB) && budget.reserved.tryCharge(MIB)).isTrue();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> budget.committed.refund(MIB + 1))
                .withMessage("only what was charged can be refunded: bytes=1048577, left=-1");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> budget.reserved.refund(2 * MIB))
                .withMessageContaining("left=-1048576");
    }

    @Test
    void makeRoom_asksForWhatIsMissing_inTheOrderOfAdding() {
        new Stock("chunks", MIB, 0);
        new Stock("pages", 6 * MIB, 0);
        assertThat(budget.committed.makeRoom(4 * MIB)).isTrue();
        assertThat(asked).containsExactly("chunks uncommits 3", "pages uncommits 2");
        assertThat(budget.committed.roomBytes()).isEqualTo(4 * MIB);
    }

    @Test
    void makeRoom_enoughFromTheFirst_asksNobodyElse() {
        new Stock("chunks", 4 * MIB, 0);
        new Stock("pages", 4 * MIB, 0);
        assertThat(budget.committed.makeRoom(2 * MIB)).isTrue();
        assertThat(asked).containsExactly("chunks uncommits 2");
    }

    @Test
    void makeRoom_whereThereIsRoom_asksNobody() {
        new Stock("chunks", 4 * MIB, 4 * MIB);
        assertThat(budget.committed.makeRoom(4 * MIB)).isTrue();
        assertThat(budget.reserved.makeRoom(12 * MIB)).isTrue();
        assertThat(asked).isEmpty();
    }

    @Test
    void makeRoom_beyondTheLimit_isHopeless_andAsksNobody() {
        new Stock("chunks", 8 * MIB, 16 * MIB);
        assertThat(budget.committed.makeRoom(8 * MIB + 1)).isFalse();
        assertThat(budget.reserved.makeRoom(16 * MIB + 1)).isFalse();
        assertThat(asked).isEmpty();
    }

    @Test
    void makeRoom_whereNothingIsFree_saysSo() {
        assertThat(budget.committed.tryCharge(8 * MIB)).isTrue();
        new Stock("chunks", 0, 0);
        assertThat(budget.committed.makeRoom(1)).isFalse();
        assertThat(asked).containsExactly("chunks uncommits 0");
    }

    @Test
    void makeRoom_whatAnotherMadeMeanwhile_counts() {
        assertThat(budget.committed.tryCharge(8 * MIB)).isTrue();
        budget.add(
                new MemoryBudget.Shrinker() {
                    @Override
                    public long uncommitFree(long wantedBytes) {
                        budget.committed.refund(wantedBytes);
                        return 0;
                    }

                    @Override
                    public long releaseFree(long wantedBytes) {
                        return 0;
                    }
                });
        assertThat(budget.committed.makeRoom(MIB)).isTrue();
    }

    @Test
    void makeReservedRoom_asksForWhatIsMissing_inTheOrderOfAdding() {
        new Stock("chunks", 0, 4 * MIB);
        new Stock("pages", 0, 12 * MIB);
        assertThat(budget.reserved.makeRoom(6 * MIB)).isTrue();
        assertThat(asked).containsExactly("chunks releases 6", "pages releases 2");
        assertThat(budget.reserved.makeRoom(16 * MIB)).isTrue();
        assertThat(budget.reserved.bytes()).isZero();
    }
}
