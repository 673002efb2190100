package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A request that a limit would refuse while the background closes a deferred arena. The action of
 * that arena ends when the request waits for it, or was refused: so without the waiting, none of
 * these is served.
 */
@Timeout(300)
@SuppressWarnings("restricted") // the only way to register an action
class AwaitedCloseTest {
    private static final long MIB = 1 << 20;
    private static final long LIMIT = 8 * MIB;

    /** Nobody waits for a close for longer than a moment, and a busy machine may take more. */
    private static final int ROUNDS = 40;

    /** Who asks for 2 MiB. */
    enum Ask {
        CONFINED {
            @Override
            void of(MemoryPool pool) {
                try (Arena arena = pool.openConfined()) {
                    arena.allocate(2 * MIB);
                }
            }
        },
        SHARED {
            @Override
            void of(MemoryPool pool) {
                try (Arena arena = pool.openShared()) {
                    arena.allocate(2 * MIB);
                }
            }
        },
        PAGE {
            @Override
            void of(MemoryPool pool) {
                pool.pages().allocate(2 * MIB).close();
            }
        },
        BLOCK {
            @Override
            void of(MemoryPool pool) {
                pool.blocks().freeAddress(pool.blocks().allocateAddress(2 * MIB));
            }
        };

        abstract void of(MemoryPool pool);
    }

    @ParameterizedTest
    @EnumSource(Ask.class)
    void allocate_whileTheBackgroundCloses_waitsForThat(Ask ask) throws Exception {
        try (MemoryPool pool =
                MemoryPool.builder()
                        .name("awaited")
                        .committedMaxBytes(LIMIT)
                        .decay(Duration.ofMillis(1))
                        .build()) {
            boolean served = false;
            for (int round = 0; round < ROUNDS && !served; round++) {
                served = isServed(pool, ask);
            }
            assertThat(served).isTrue();
        }
    }

    private static boolean isServed(MemoryPool pool, Ask ask) throws InterruptedException {
        AtomicReference<Throwable> refusal = new AtomicReference<>();
        AtomicBoolean closing = new AtomicBoolean();
        Thread asking =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        Await.until(closing::get);
                                        ask.of(pool);
                                    } catch (Throwable thrown) {
                                        refusal.set(thrown);
                                    }
                                });
        try (Arena rest = pool.openShared()) {
            Await.until(
                    "nothing is left of an earlier round",
                    () -> {
                        long _ = pool.trim();
                        return pool.stats().committedBytes() == 0;
                    });
            Arena deferred = pool.openSharedDeferred();
            deferred.allocate(900_000).fill((byte) 1);
            var _ =
                    deferred.allocate(8)
                            .reinterpret(
                                    8,
                                    deferred,
                                    _ -> {
                                        closing.set(true);
                                        awaitWaiting(asking);
                                    });
            while (LIMIT - pool.stats().committedBytes() >= 2 * MIB) {
                rest.allocate(100_000).fill((byte) 1);
            }
            deferred.close();
            Await.end(asking);
        }
        Throwable thrown = refusal.get();
        if (thrown != null) {
            assertThat(thrown).isInstanceOf(OutOfMemoryError.class);
        }
        return thrown == null;
    }

    /** Waits until a thread waits for a close, or has ended. */
    private static void awaitWaiting(Thread asking) {
        Await.until(
                "it waits or has ended",
                () ->
                        !asking.isAlive()
                                || (asking.getState() == Thread.State.TIMED_WAITING
                                        && isIn(asking, "awaitClosing")));
    }

    private static boolean isIn(Thread thread, String method) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(at -> at.getMethodName().equals(method));
    }
}
