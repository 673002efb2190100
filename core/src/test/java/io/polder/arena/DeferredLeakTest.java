package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.background.Background;
import io.polder.leak.LeakDetector;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

/** Deferred arenas that are tracked: what was closed is no leak, however its close ended. */
class DeferredLeakTest {
    private final ChunkSource source = Slabs.source(4096);

    private static LeakDetector detector() {
        LeakDetector detector = new LeakDetector("leaking", new Background("deferred-leak-test"));
        detector.set(true, true);
        return detector;
    }

    @Test
    void close_cutOffWhenItTellsTheBackground_isTrackedNoMore() {
        LeakDetector detector = detector();
        Runnable wake =
                () -> {
                    throw new StackOverflowError("of a test");
                };
        Arena arena = ArenaFactory.create(source, 2, wake, 1, detector.sampler()).openDeferred();
        arena.allocate(100).fill((byte) 1);
        assertThat(detector.tracked()).isEqualTo(1);
        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(arena::close);
        assertThatIllegalStateException().isThrownBy(arena::close).withMessage("Already closed");
        assertThat(detector.tracked()).as("it was closed").isZero();
    }
}
