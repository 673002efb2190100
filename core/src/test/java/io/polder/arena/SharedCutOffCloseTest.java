package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.Await;
import io.polder.chunk.ChunkSpace;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Shared arenas whose close found no stack, or was cut short otherwise, are closed all the same.
 */
@SuppressWarnings("restricted") // to register actions
class SharedCutOffCloseTest {
    private static final int STACK_BYTES = 512 << 10;

    private static final int TRIES_MAX = 50;

    /** More than a stack of that size has room for. */
    private static final int DEPTH_MAX = 100_000;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final ChunkSource source =
            Slabs.source(Providers.choose().provider(), MemoryLimits.NONE, 4096);
    private final ArenaFactory memory = fixture.watch(Slabs.memory(source, 2));
    private final ChunkSpace space = memory.source().space;
    private final Arena[] opened = new Arena[DEPTH_MAX];
    private final AtomicInteger actions = new AtomicInteger();
    private final Runnable action = actions::incrementAndGet;
    private final long[] values = new long[16];
    private int count;

    @SuppressWarnings("UnusedVariable") // so that no compiler forgets the values
    private long sum;

    /**
     * Opens arenas, one inside the other, until no stack is left; each is closed once, and at least
     * one of these calls finds no stack. Where the end comes depends on what is compiled by then.
     */
    private void overflow() throws InterruptedException {
        descend(20); // so that all classes are there
        overflow(STACK_BYTES);
        for (int more = 1; openCount() == 0 && more < TRIES_MAX; more++) {
            overflow(STACK_BYTES + more * 4096L);
        }
        assertThat(openCount()).as("arenas whose close had no stack").isPositive();
    }

    private void overflow(long stackBytes) throws InterruptedException {
        count = 0;
        actions.set(0);
        List<Throwable> thrown = new ArrayList<>();
        Thread thread = new Thread(null, () -> descend(DEPTH_MAX), "overflow", stackBytes);
        thread.setUncaughtExceptionHandler((_, failure) -> thrown.add(failure));
        thread.start();
        Await.end(thread);
        assertThat(thrown).hasSize(1).first().isInstanceOf(StackOverflowError.class);
    }

    /** Keeps values over the call, so that its frame is larger than that of a close. */
    private void descend(int depth) {
        long a = values[0];
        long b = values[1];
        long c = values[2];
        long d = values[3];
        long e = values[4];
        long f = values[5];
        long g = values[6];
        long h = values[7];
        long i = values[8];
        long j = values[9];
        long k = values[10];
        long l = values[11];
        if (depth == 0) {
            return;
        }
        try (Arena arena = memory.openShared()) {
            opened[count] = arena;
            count++;
            arena.allocate(3000);
            MemorySegment.NULL.reinterpret(arena, _ -> action.run());
            descend(depth - 1);
            sum += a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ i ^ j ^ k ^ l;
        }
    }

    /** What is used but for chunks at hand. */
    private long usedBytes() {
        memory.drain();
        return space.statistics().usedBytes();
    }

    private int openCount() {
        int open = 0;
        for (int i = 0; i < count; i++) {
            open += opened[i].scope().isAlive() ? 1 : 0;
        }
        return open;
    }

    @Test
    void close_againByItsUser_closesItOrIsRefusedByTheJdk() throws InterruptedException {
        overflow();
        int open = openCount();
        int done = 0;
        for (int i = 0; i < count; i++) {
            Arena arena = opened[i];
            if (arena.scope().isAlive()) {
                arena.close();
                done++;
            }
            assertThatIllegalStateException()
                    .isThrownBy(arena::close)
                    .withMessage("Already closed");
        }
        assertThat(done).isEqualTo(open);
        assertThat(usedBytes()).isZero();
        assertThat(actions).hasValueBetween(count - 2, count);
    }

    @Test
    void close_withAnErrorOfAnAction_leavesNothing() {
        Arena arena = memory.openShared();
        arena.allocate(100);
        MemorySegment.NULL.reinterpret(
                arena,
                _ -> {
                    throw new StackOverflowError("of a test");
                });
        assertThatThrownBy(arena::close).isInstanceOf(StackOverflowError.class);
        assertThat(usedBytes()).isZero();
    }
}
