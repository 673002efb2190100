package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.page.Page;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A pool in which nothing changes has no ticks, and gives back what is freed later. */
class RestingPoolTest {
    private static MemoryPool pool(String name) {
        return MemoryPool.builder().name("resting-" + name).decay(Duration.ofMillis(1)).build();
    }

    private static PoolMemory memory(MemoryPool pool) {
        return OpenPools.INSTANCE.reachable().stream()
                .filter(each -> each.pool == pool)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void blocks_usedAndNothingChanges_rest() {
        try (MemoryPool pool = pool("blocks")) {
            PoolMemory memory = memory(pool);
            BlockAllocator blocks = pool.blocks();
            List<Long> used = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                used.add(blocks.allocateAddress(1 + 37L * i));
            }
            Await.until("at rest", memory.task::isAsleep);
            used.forEach(blocks::freeAddress);
            Await.until("given back", () -> pool.stats().committedBytes() == 0);
            Await.until("at rest", memory.task::isAsleep);
        }
    }

    @Test
    void closed_anArenaIsOpen_restsAndIsReleasedWithIt() {
        MemoryPool pool = pool("closed");
        PoolMemory memory = memory(pool);
        Arena arena = pool.openShared();
        assertThat(arena.allocate(100).byteSize()).isEqualTo(100);
        pool.close();
        Await.until("at rest", memory.task::isAsleep);
        arena.close();
        Await.until("released", () -> pool.stats().reservedBytes() == 0);
    }

    /** The thread lives, and has opened arenas in each other before. */
    @Test
    void closed_nestedArenasAreClosedLater_looksForNoEndOfTheirThread() {
        MemoryPool pool = pool("nested");
        PoolMemory memory = memory(pool);
        nest(pool, () -> {});
        nest(pool, pool::close);
        Await.until("released", () -> pool.stats().reservedBytes() == 0);
        Await.until("at rest", memory.threadsEnding::isAsleep);
    }

    private static void nest(MemoryPool pool, Runnable inside) {
        try (Arena outer = pool.openConfined();
                Arena inner = pool.openConfined()) {
            assertThat(outer.allocate(100).byteSize()).isEqualTo(100);
            assertThat(inner.allocate(100).byteSize()).isEqualTo(100);
            inside.run();
        }
    }

    @Test
    void closed_aPageIsTaken_restsAndIsReleasedWithIt() {
        MemoryPool pool = pool("page");
        PoolMemory memory = memory(pool);
        Page page = pool.pages().allocate(1);
        pool.close();
        Await.until("at rest", memory.task::isAsleep);
        page.close();
        Await.until("released", () -> pool.stats().reservedBytes() == 0);
    }
}
