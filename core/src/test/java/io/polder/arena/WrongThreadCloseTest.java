package io.polder.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.Paint;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** A wrong thread that closes an arena while its owner does changes nothing. */
class WrongThreadCloseTest {
    private static final int ROUNDS = 20_000;

    private static final long SLAB = 4096;

    @RegisterExtension final Slabs fixture = new Slabs();

    private final ArenaFactory memory = fixture.create(SLAB, 4);
    private final AtomicReference<@Nullable Arena> target = new AtomicReference<>();
    private final AtomicLong refused = new AtomicLong();
    private volatile boolean ended;

    /** Of arenas that stay in their slab, and of those that grow. */
    @ParameterizedTest
    @ValueSource(longs = {100, 3 * SLAB})
    void close_byAWrongThreadMeanwhile_givesOnce(long bytes) throws InterruptedException {
        Thread wrong = Thread.ofPlatform().start(this::closeAll);
        for (int round = 0; round < ROUNDS; round++) {
            try (Arena arena = memory.openConfined()) {
                arena.allocate(bytes).fill((byte) 0xFF);
                target.set(arena);
            }
            try (Arena first = memory.openConfined();
                    Arena second = memory.openConfined()) {
                MemorySegment mine = first.allocate(bytes);
                MemorySegment other = second.allocate(bytes);
                assertThat(mine.address()).isNotEqualTo(other.address());
                assertThat(Paint.isZero(mine)).isTrue();
                assertThat(Paint.isZero(other)).isTrue();
            }
        }
        Await.until("the other thread had a turn", () -> refused.get() > 0);
        ended = true;
        Await.end(wrong);
    }

    private void closeAll() {
        while (!ended) {
            Arena arena = target.get();
            if (arena != null) {
                try {
                    arena.close();
                } catch (WrongThreadException | IllegalStateException e) {
                    refused.incrementAndGet();
                }
            }
        }
    }
}
