package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.arena.OtherThread;
import io.polder.page.Page;
import io.polder.page.PageCache;
import io.polder.page.PageStatistics;
import io.polder.page.space.PageFigures;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** Pages of a pool: its limits, its close, its statistics. */
class PoolPagesTest {
    private static final long MIB = 1 << 20;

    @Test
    void pages_andArenas_shareTheLimit() {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(32 * MIB).build()) {
            Page page = pool.pages().allocate(24 * MIB);
            try (Arena arena = pool.openConfined()) {
                assertThatExceptionOfType(OutOfMemoryError.class)
                        .isThrownBy(() -> arena.allocate(12 * MIB))
                        .withMessageContaining("committedMaxBytes=" + 32 * MIB);
                page.close();
                assertThat(arena.allocate(12 * MIB).byteSize()).isEqualTo(12 * MIB);
                assertThat(pool.stats().pages().takenBytes()).isEqualTo(12 * MIB);
            }
        }
    }

    @Test
    void take_inLine_hasWhatAnArenaGivesBack() throws Exception {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(16 * MIB).build();
                ExecutorService thread = Crew.of(1)) {
            Arena arena = pool.openShared();
            for (int i = 0; i < 10; i++) {
                arena.allocate(MIB).fill((byte) 1);
            }
            PageCache pages = pool.pages();
            Future<Page> waiting =
                    thread.submit(() -> pages.allocate(12 * MIB, Duration.ofDays(1)));
            try {
                Await.until(() -> pool.stats().pages().waiting() != 0);
            } finally {
                arena.close();
            }
            waiting.get().close();
        }
    }

    @Test
    void stats_mix_hasNoPageThatWasRefused() throws Exception {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(16 * MIB).build()) {
            PageCache pages = pool.pages();
            Page page = pages.allocate(8 * MIB);
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> pages.allocate(12 * MIB));
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> pages.allocate(12 * MIB, Duration.ZERO));
            assertThat(pool.stats().pages().mix())
                    .containsExactly(new PageFigures.SizeClass(8 * MIB, 1, 8 * MIB));
            page.close();
        }
    }

    /** The arena is not alive then, but what its thread did last may not be seen yet. */
    @Test
    @SuppressWarnings("restricted")
    void close_whileTheConfinedArenaOfAViewEnds_keepsThePageUntilThatHasEnded() {
        try (MemoryPool pool = MemoryPool.builder().build()) {
            PageCache pages = pool.pages();
            Page page = pages.allocate(2 * MIB);
            List<Integer> kept = new ArrayList<>();
            Consumer<MemorySegment> action =
                    _ -> {
                        if (kept.isEmpty()) {
                            kept.addAll(
                                    OtherThread.platform(
                                            () -> {
                                                page.close();
                                                PageStatistics now = pool.stats().pages();
                                                return List.of(now.keptByViews(), now.takenPages());
                                            }));
                        }
                    };
            try (Arena arena = Arena.ofConfined()) { // one of the two runs before the page's own
                MemorySegment _ = MemorySegment.ofAddress(1).reinterpret(1, arena, action);
                page.segment(arena).fill((byte) 1);
                MemorySegment _ = MemorySegment.ofAddress(1).reinterpret(1, arena, action);
            }
            assertThat(kept).containsExactly(1, 1);
            assertThat(pool.stats().pages().takenPages()).isZero();
        }
    }

    @Test
    void close_endsTheWaiting_andRefusesMore_butTakesBack() {
        MemoryPool pool = MemoryPool.builder().committedMaxBytes(16 * MIB).build();
        PageCache pages = pool.pages();
        Page page = pages.allocate(16 * MIB);
        try (ExecutorService thread = Crew.of(1)) {
            Future<Page> waiting = thread.submit(() -> pages.allocate(1, Duration.ofDays(1)));
            try {
                Await.until(() -> pool.stats().pages().waiting() != 0);
            } finally {
                pool.close();
            }
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(waiting::get)
                    .withCauseInstanceOf(IllegalStateException.class)
                    .withMessageContaining("closed");
        }
        assertThatIllegalStateException()
                .isThrownBy(() -> pages.allocate(1))
                .withMessageContaining("name=" + pool.name());
        assertThatIllegalStateException().isThrownBy(() -> pages.prefetch(1, 1));
        page.close();
        assertThat(pool.stats().pages().takenPages()).isZero();
    }

    @Test
    void pages_nativeAccessDenied_areRefused() {
        try (MemoryPool pool = WatchedPool.denied()) {
            assertThatExceptionOfType(UnsupportedOperationException.class)
                    .isThrownBy(pool::pages)
                    .withMessageContaining("--enable-native-access")
                    .withMessageContaining("denied for a test");
        }
    }

    @Test
    void hugePages_areAnAdvice_andChangeNothingElse() {
        try (MemoryPool pool = MemoryPool.builder().hugePages(true).build();
                Arena arena = Arena.ofConfined()) {
            Page page = pool.pages().allocate(8 * MIB);
            page.segment(arena).fill((byte) 3);
            page.close();
            assertThat(pool.stats().pages().keptByViews()).isEqualTo(1);
        }
    }
}
