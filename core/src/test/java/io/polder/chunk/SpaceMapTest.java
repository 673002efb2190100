package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import java.util.function.Consumer;
import java.util.stream.Stream;

class SpaceMapTest extends SpaceFixture {

    @Test
    void map_ofAKnownState() {
        Assumptions.assumeTrue(page == 4096);
        ChunkSpace space = space(new MemoryLimits(8 * MIB, 8 * MIB));
        long small = take(space, KIB);
        space.commit(small, 0, KIB);
        long root = take(space, ROOT);
        String line = "0x" + Long.toHexString(Chunk.address(small));
        assertThat(SpaceCheck.text(space.state))
                .contains(line + "  4K  Mml-k-j-i-h-g-f-e-d-c-b\n")
                .contains("  0K  A\n");
        space.give(root, 0);
        space.give(small, KIB);
        assertThat(SpaceCheck.text(space.state))
                .contains(line + "  4K  a\n")
                .contains("  0K  -a\n");
        space.trim();
        assertThat(SpaceCheck.text(space.state)).contains(line + "  0K  -a\n");
    }

    /** Each way to corrupt a space is found, and the message says what is wrong. */
    @TestFactory
    Stream<DynamicTest> verify_canary_isCaught() {
        return Stream.of(
                        new Corruption("tile", state -> first(state).used.set(6)),
                        new Corruption("tile", state -> first(state).used.clear(1 << SMALLEST)),
                        new Corruption("is warm iff", state -> first(state).committed.set(9, 10)),
                        new Corruption("root listed", state -> state.warm.remove(SMALLEST, 0)),
                        new Corruption("committed", state -> state.committedBytes++),
                        new Corruption(
                                "committed <= charged", state -> state.budget.committed.refund(1)),
                        new Corruption(
                                "reserved <= charged", state -> state.budget.reserved.refund(1)),
                        new Corruption("used", state -> state.usedBytes--),
                        new Corruption("reserved", state -> state.reservedBytes++),
                        new Corruption("committedTotal", state -> state.uncommittedTotalBytes++),
                        new Corruption("page is committed", state -> first(state).idle.set(9)),
                        new Corruption("page is free", state -> first(state).idle.set(0)),
                        new Corruption("one state", state -> first(state).used.set(3)),
                        new Corruption("no free buddy", SpaceMapTest::splitInVain))
                .map(each -> DynamicTest.dynamicTest(each.rule(), () -> assertCaught(each)));
    }

    private record Corruption(String rule, Consumer<SpaceState> does) {}

    private static RootArea first(SpaceState state) {
        return state.roots.known(0);
    }

    private static void splitInVain(SpaceState state) {
        first(state).cold.remove(3);
        first(state).cold.add(6);
        first(state).cold.add(7);
    }

    private void assertCaught(Corruption corruption) {
        ChunkSpace space =
                new ChunkSpace(system, new MemoryBudget(new MemoryLimits(ROOT, ROOT), ""));
        space.commit(take(space, KIB), 0, KIB);
        SpaceCheck.verifyAtRest(space);
        corruption.does().accept(space.state);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> SpaceCheck.verify(space))
                .withMessageContaining(corruption.rule());
        RootReservation reservation = space.state.reserved[0];
        system.release(reservation.address(), reservation.bytes());
    }
}
