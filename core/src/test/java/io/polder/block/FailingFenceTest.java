package io.polder.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.gate.ScriptedThread;
import io.polder.memory.ProcessFence;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** The fence of all threads fails when an owner is revoked. */
class FailingFenceTest extends BlockFixture {
    private final ProcessFence process = ProcessFence.ofThisProcess();
    private final AtomicInteger fences = new AtomicInteger();

    /** What is thrown in place of a fence; null if there is one. */
    private @Nullable Error thrown;

    @Override
    Runnable fence() {
        return this::fenceOrThrow;
    }

    private void fenceOrThrow() {
        Error instead = thrown;
        if (instead != null) {
            throw instead;
        }
        process.run();
        fences.incrementAndGet();
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
}
