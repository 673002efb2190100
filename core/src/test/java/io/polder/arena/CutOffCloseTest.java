package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Await;
import io.polder.memory.MemoryLimits;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Confined arenas whose close found no stack left are closed, or they are open; of those that are
 * closed nothing is lost, and nobody has to close them once more.
 */
@SuppressWarnings("restricted") // to register actions, which make a close go deeper
class CutOffCloseTest {
    private static final int STACK_BYTES = 512 << 10;

    private static final int ROUNDS = 5;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final List<Arena> opened = new ArrayList<>(100_000);
    private long sum;

    @Test
    void close_withoutStack_losesNothing() throws InterruptedException {
        assertNothingIsLost(fixture.create(4096, 4), Thread.ofPlatform());
    }

    /** Where there is a limit, few threads keep slabs; here none may. */
    @Test
    void close_withoutStackInAThreadThatKeepsNone_losesNothing() throws InterruptedException {
        MemoryLimits limits = new MemoryLimits(256 << 20, 512 << 20); // the stack ends first
        ArenaFactory memory = fixture.create(limits, 1 << 20, 64);
        assertNothingIsLost(memory, Thread.ofPlatform());
        assertThat(memory.registry().known).allMatch(slabs -> slabs.keeperId == 0);
    }

    @Test
    void close_withoutStackInAVirtualThread_losesNothing() throws InterruptedException {
        assertNothingIsLost(fixture.create(4096, 4), null);
    }

    private void assertNothingIsLost(
            ArenaFactory memory, Thread.Builder.@Nullable OfPlatform platform)
            throws InterruptedException {
        int cutOff = 0;
        for (int round = 0; round < ROUNDS; round++) {
            opened.clear();
            List<Throwable> thrown = new ArrayList<>();
            int allocated = 100 + 1000 * round;
            Runnable task =
                    () -> {
                        try {
                            descend(memory, allocated);
                        } catch (StackOverflowError end) {
                            thrown.add(end);
                        }
                        for (Arena arena : opened) {
                            if (arena.scope().isAlive()) {
                                arena.close(); // was refused
                            }
                        }
                        memory.trim();
                        for (Arena arena : opened) { // gives nothing once more
                            assertThatIllegalStateException().isThrownBy(arena::close);
                        }
                    };
            Thread thread =
                    platform == null
                            ? Thread.ofVirtual().start(task)
                            : platform.stackSize(STACK_BYTES).start(task);
            Await.end(thread);
            assertThat(thrown).hasSize(1);
            cutOff += opened.size();
            memory.trim();
            assertThat(Slabs.usedBytes(memory)).as("round %d", round).isZero();
            for (Arena arena : opened) { // gives nothing once more, whichever thread it is
                assertThat(OtherThread.thrownBy(arena::close)).isInstanceOf(RuntimeException.class);
            }
            assertThat(Slabs.usedBytes(memory)).as("round %d", round).isZero();
        }
        assertThat(cutOff).as("arenas").isGreaterThan(100);
        assertThat(sum).isNotZero();
    }

    /** Opens arenas, one inside the other, until no stack is left. */
    @SuppressWarnings("InfiniteRecursion")
    private void descend(ArenaFactory memory, int bytes) {
        try (Arena arena = memory.openConfined()) {
            opened.add(arena);
            sum += arena.allocate(bytes).address();
            MemorySegment.NULL.reinterpret(arena, _ -> sum++);
            descend(memory, bytes);
        }
    }
}
