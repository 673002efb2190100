package io.polder.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.polder.gate.GateFence;
import io.polder.gate.GivenFence;
import io.polder.gate.ScriptedThread;
import io.polder.memory.Errno;
import io.polder.memory.OsCallException;
import io.polder.memory.ProcessFence;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The fence of all threads fails when an owner is revoked, or the system refuses it. */
class RefusedFenceTest extends BlockFixture {
    private final ProcessFence process = ProcessFence.ofThisProcess();
    private final AtomicInteger fences = new AtomicInteger();

    /** What is thrown in place of a fence; null if there is one. */
    private @Nullable Throwable thrown;

    @Override
    GateFence fence() {
        return GivenFence.of(this::fenceOrThrow);
    }

    private void fenceOrThrow() {
        Throwable instead = thrown;
        if (instead instanceof Error error) {
            throw error;
        }
        if (instead instanceof RuntimeException exception) {
            throw exception;
        }
        process.run();
        fences.incrementAndGet();
    }

    @BeforeEach
    void hasAFence() {
        assumeTrue(process.isAvailable(), process.reason());
    }

    private static List<Long> allocate(BlockSpace space) {
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            blocks.add(space.allocate(100));
        }
        return blocks;
    }

    /** The owner may have entered before it could see that it was revoked. */
    @Test
    void trim_afterAFenceThatFailed_makesAnother() {
        BlockSpace space = space();
        try (ScriptedThread sleeper = ScriptedThread.platform()) {
            sleeper.call(() -> allocate(space)).forEach(space::free);
            thrown = new StackOverflowError();
            assertThatThrownBy(space::trim).isInstanceOf(StackOverflowError.class);
            assertThatThrownBy(space::trim).as("again").isInstanceOf(StackOverflowError.class);
            assertThat(fences).hasValue(0);
            thrown = null;
            trim(parts(space));
            assertThat(fences).hasValue(1);
            assertThat(committedBytes(space)).isZero();
        }
    }

    @Test
    void trim_fenceIsRefused_leavesOutWhatThreadsHave() {
        BlockSpace space = space();
        try (ScriptedThread sleeper = ScriptedThread.platform()) {
            sleeper.call(() -> allocate(space)).forEach(space::free);
            thrown = new OsCallException("membarrier", Errno.EPERM, 0, 0);
            long own = space.allocate(100);
            space.free(own);
            trim(parts(space));
            assertThat(committedBytes(space)).isPositive();
            thrown = null;
            trim(parts(space));
            assertThat(committedBytes(space)).isZero();
        }
    }

    /** What it does itself needs no fence. */
    @Test
    void close_fenceIsRefused_endsAndThreadsGiveBackWhatTheyHave() {
        BlockSpace space = space();
        try (ScriptedThread owner = ScriptedThread.platform()) {
            List<Long> blocks = owner.call(() -> allocate(space));
            thrown = new OsCallException("membarrier", Errno.EPERM, 0, 0);
            space.close();
            owner.run(() -> blocks.forEach(space::free));
            trim(parts(space));
            assertThat(committedBytes(space)).isZero();
        }
        thrown = null;
    }
}
