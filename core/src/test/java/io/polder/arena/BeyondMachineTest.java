package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.background.Background;
import io.polder.memory.DelegatingProvider;
import io.polder.memory.Exhaustion;
import io.polder.memory.MachineMemory;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.Page;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.time.Duration;

/** What is larger than the machine is refused, as malloc refuses it: here, more than 512 MiB. */
class BeyondMachineTest {
    private static final long MEMORY = 384L << 20;
    private static final long SWAP = 128L << 20;
    private static final long MOST = MEMORY + SWAP;

    /** A machine that is smaller than this one; addresses are not scarce. */
    private static final class SmallMachine extends DelegatingProvider {
        SmallMachine() {
            super(Providers.choose().provider());
        }

        @Override
        public @Nullable MachineMemory exceededBy(long bytes) {
            return bytes > MOST ? new MachineMemory(MEMORY, SWAP) : null;
        }
    }

    @RegisterExtension final Slabs fixture = new Slabs();

    private final ArenaFactory memory = fixture.create(new SmallMachine(), 4096, 2);

    private static String message(long bytes) {
        return "an allocation must fit into the memory and swap of the machine"
                + " (vm.overcommit_memory=0): requestedBytes="
                + bytes
                + ", memoryBytes="
                + MEMORY
                + ", swapBytes="
                + SWAP;
    }

    private static void checkRefused(Arena arena, long bytes) {
        assertThatThrownBy(() -> arena.allocate(bytes))
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessage(message(bytes));
    }

    @Test
    void allocate_beyondTheMachine_isRefusedAndChangesNothing() {
        try (Arena confined = memory.openConfined();
                Arena shared = memory.openShared();
                Arena deferred = memory.openDeferred()) {
            for (Arena arena : new Arena[] {confined, shared, deferred}) {
                for (long bytes : new long[] {MOST + (2 << 20), 1L << 40, 1L << 46}) {
                    checkRefused(arena, bytes);
                }
                assertThat(arena.allocate(100).byteSize()).isEqualTo(100);
            }
            assertThat(confined.allocate(MOST).byteSize()).isEqualTo(MOST);
        }
        memory.close();
        memory.tick();
    }

    @Test
    void take_beyondTheMachine_isRefusedOrLess() {
        MemoryBudget budget = new MemoryBudget(MemoryLimits.NONE, "");
        PageSpace pages =
                new PageSpace(
                        new SmallMachine(),
                        budget,
                        new Background("of-a-test"),
                        new PageSettings(Duration.ofDays(1).toNanos(), false, false),
                        Exhaustion.IGNORED,
                        null);
        try {
            assertThatThrownBy(() -> pages.allocate(1L << 40))
                    .isInstanceOf(OutOfMemoryError.class)
                    .hasMessage(message(1L << 40));
            assertThatThrownBy(() -> pages.allocate(1L << 40, Duration.ofDays(1)))
                    .as("not after a day")
                    .isInstanceOf(OutOfMemoryError.class)
                    .hasMessage(message(1L << 40));
            assertThatThrownBy(() -> pages.allocate(1L << 30, 1L << 40))
                    .isInstanceOf(OutOfMemoryError.class)
                    .hasMessage(message(1L << 30));
            Page page = pages.allocate(2 << 20, 1L << 40);
            assertThat(page.bytes()).isEqualTo(MOST);
            page.close();
            assertThat(budget.committed.bytes()).isEqualTo(MOST); // and none was touched
        } finally {
            pages.close();
        }
    }

    @Test
    void take_beyondALimit_saysTheLimit() {
        ArenaFactory limited =
                Slabs.memory(
                        Slabs.source(
                                new SmallMachine(), new MemoryLimits(64 << 20, 1L << 40), 4096),
                        2);
        try (Arena arena = limited.openConfined()) {
            assertThatThrownBy(() -> arena.allocate(1L << 40))
                    .isInstanceOf(OutOfMemoryError.class)
                    .hasMessageStartingWith("committed memory must stay within its limit");
        }
        limited.close();
    }
}
