package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.OtherThread;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/** A thread that was interrupted uses a pool like any other, and stays interrupted. */
class InterruptedTest {
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void use_interrupted_worksAndStaysSo(boolean virtual) {
        MemoryPool pool = MemoryPool.builder().decay(Duration.ofMillis(5)).build();
        if (virtual) {
            OtherThread.virtual(() -> use(pool));
        } else {
            OtherThread.platform(() -> use(pool));
        }
        Await.until("all is released", () -> pool.stats().reservedBytes() == 0);
    }

    private static boolean use(MemoryPool pool) {
        Thread.currentThread().interrupt();
        for (int round = 0; round < 20; round++) {
            for (Arena arena :
                    new Arena[] {
                        pool.openConfined(), pool.openShared(), pool.openSharedDeferred()
                    }) {
                for (long bytes : new long[] {1, 100, 5000, 300_000, 5 << 20}) {
                    MemorySegment segment = arena.allocate(bytes).asSlice(0, Math.min(bytes, 1000));
                    assertThat(Paint.isZero(segment)).isTrue();
                    Paint.paint(segment, round);
                    assertThat(Paint.isPainted(segment, round)).isTrue();
                }
                arena.close();
            }
            pool.trim();
            assertThat(pool.stats().reservedBytes()).isPositive();
            assertThat(pool.report()).startsWith("Pool ");
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        }
        pool.close();
        assertThat(Thread.interrupted()).isTrue();
        return true;
    }
}
