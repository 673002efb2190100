package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;
import io.polder.page.space.Deadline;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/** Where something comes back at each attempt, and never enough, programs are asked as well. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@SuppressWarnings("restricted")
class LittleCameBackTest {
    private static final long MIB = 1 << 20;
    private static final long LIMIT = 32 * MIB;
    private static final long WANTED = 8 * MIB;

    private enum Kind {
        PAGE,
        ARENA,
        BLOCK,
        OBJECT;

        void request(MemoryPool pool, RelocatingHeap heap) {
            switch (this) {
                case PAGE -> pool.pages().allocate(WANTED).close();
                case ARENA -> {
                    try (Arena arena = pool.openConfined()) {
                        arena.allocate(WANTED);
                    }
                }
                case BLOCK -> pool.blocks().freeAddress(pool.blocks().allocateAddress(WANTED));
                case OBJECT -> heap.free(heap.allocate(WANTED));
            }
        }
    }

    private final MemoryPool pool =
            MemoryPool.builder()
                    .name("little came back")
                    .committedMaxBytes(LIMIT)
                    .decay(Duration.ofDays(1))
                    .build();
    private final Deque<Page> cached = new ArrayDeque<>();
    private volatile boolean ends;

    @AfterEach
    void close() {
        ends = true;
        cached.forEach(Page::close);
        pool.close();
    }

    private synchronized void fill() {
        Page page = pool.pages().allocate(2 * MIB);
        cached.add(page);
        while (pool.stats().committedBytes() + 4 * MIB <= LIMIT) {
            cached.add(pool.pages().allocate(2 * MIB));
        }
    }

    private synchronized long shrink(long bytes) {
        long freed = 0;
        while (freed < bytes && !cached.isEmpty()) {
            cached.remove().close();
            freed += 2 * MIB;
        }
        return freed;
    }

    /** Opens and closes an arena, which is one more to be closed whenever room is made. */
    private void deferOne() {
        Arena arena = pool.openSharedDeferred();
        MemorySegment _ =
                MemorySegment.ofAddress(8)
                        .reinterpret(
                                8,
                                arena,
                                _ -> {
                                    if (!ends) {
                                        deferOne();
                                    }
                                });
        arena.close();
    }

    @ParameterizedTest
    @EnumSource
    void allocate_anArenaIsClosedEachTime_asksThem(Kind kind) {
        try (RelocatingHeap heap = pool.openHeap()) {
            Runnable remove = pool.addShrinker(this::shrink, () -> "one of a test");
            fill();
            deferOne();
            assertThatCode(() -> kind.request(pool, heap)).doesNotThrowAnyException();
            ends = true;
            remove.run();
        }
    }

    /** In the queue, where a span comes back at each look. */
    @Test
    void allocate_waits_aSpanComesBackEachTime_asksThem() throws InterruptedException {
        Runnable remove = pool.addShrinker(this::shrink, () -> "one of a test");
        Deque<Long> blocks = new ArrayDeque<>();
        for (long bytes = 16; bytes <= MIB; bytes *= 2) {
            blocks.add(pool.blocks().allocateAddress(bytes));
        }
        fill();
        PageSpace pages = pool.memory.pages;
        Deadline deadline =
                new Deadline(
                        TimeUnit.HOURS.toNanos(1),
                        () -> {
                            if (!blocks.isEmpty()) {
                                pool.blocks().freeAddress(blocks.remove());
                            }
                            return pool.memory.exhaustion.makeRoom();
                        });
        pages.give(pages.takeOrWait(WANTED, false, deadline), 0);
        assertThat(blocks).isNotEmpty();
        blocks.forEach(pool.blocks()::freeAddress);
        remove.run();
    }
}
