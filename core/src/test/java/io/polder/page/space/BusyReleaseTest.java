package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.gate.ScriptedThread;
import io.polder.memory.DelegatingProvider;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.MovableMemory;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;

import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Addresses are short, and what is free of them is just being released. */
class BusyReleaseTest extends PageFixture {
    private static final long LIMIT = 32 * MIB;

    private final AtomicBoolean holdsUp = new AtomicBoolean();
    private final AtomicBoolean releasing = new AtomicBoolean();

    @Override
    MemoryProvider real() {
        return new DelegatingProvider(Providers.choose().provider()) {
            @Override
            public void release(long address, long bytes) {
                releasing.set(true);
                while (holdsUp.get()) {
                    ScriptedThread.pause();
                }
                super.release(address, bytes);
            }
        };
    }

    private static boolean isGranted(PageSpace space) {
        try {
            space.give(space.take(LIMIT, false), 0);
            return true;
        } catch (MemoryExhaustedException refused) {
            return false;
        }
    }

    /** It waits, as far as can be seen; on a busy machine perhaps not for long enough. */
    @Test
    void take_whileAllIsReleased_waits() {
        MovableMemory.assume();
        PageSpace space =
                space(
                        new MemoryLimits(MemoryLimits.ADDRESS_SPACE_BYTES, LIMIT),
                        new PageSettings(TimeUnit.DAYS.toNanos(1), false, false));
        boolean granted = false;
        try (ScriptedThread other = ScriptedThread.platform();
                ScriptedThread taker = ScriptedThread.platform()) {
            for (int round = 0; !granted; round++) {
                assertThat(round).isLessThan(50);
                assertThat(isGranted(space)).isTrue();
                holdsUp.set(true);
                releasing.set(false);
                FutureTask<Long> trim = other.begin(space::trim);
                Await.until(releasing::get);
                FutureTask<Boolean> take = taker.begin(() -> isGranted(space));
                Await.until(
                        () ->
                                take.isDone()
                                        || taker.thread().getState() == Thread.State.TIMED_WAITING);
                holdsUp.set(false);
                granted = ScriptedThread.get(take);
                assertThat(ScriptedThread.get(trim)).isPositive();
            }
        }
    }
}
