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

/** How often all threads are fenced when owners are revoked, and what if that fails. */
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

    /** A handshake of the JVM takes longer with each thread, so one for each took seconds. */
    @Test
    void trim_ofManyThreads_fencesThemTogether() {
        BlockSpace space = space();
        List<ScriptedThread> sleepers = new ArrayList<>();
        try {
            for (int i = 0; i < 16; i++) {
                sleepers.add(ScriptedThread.platform());
            }
            List<Long> blocks = new ArrayList<>();
            sleepers.forEach(each -> blocks.addAll(each.call(() -> allocate(space))));
            long _ = space.trim();
            assertThat(fences).as("none has much").hasValue(1);
            sleepers.forEach(each -> each.call(() -> allocate(space)).forEach(space::free));
            fences.set(0);
            long _ = space.trim();
            assertThat(fences).as("all have much").hasValue(1);
            sleepers.forEach(each -> blocks.addAll(each.call(() -> allocate(space))));
            fences.set(0);
            space.close();
            assertThat(fences).as("closed").hasValue(1);
            blocks.forEach(space::free);
        } finally {
            sleepers.forEach(ScriptedThread::close);
        }
    }
}
