package io.polder;

import io.polder.PoolScenario.Operation;
import io.polder.cache.CacheInside;
import io.polder.heap.HeapOptions;
import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;
import io.polder.page.PageCache;
import io.polder.stress.everywhere.Paint;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What a program has of a pool: arenas, pages, heaps; and what it wrote there.
 *
 * <p>Used both where something is thrown and where that is checked. What the pool hands out is
 * noted at once, and what is closed is noted before: so what was cut short is known, and tried
 * again.
 */
final class Holdings {
    /** As large as the page of a large object of {@link HeapOperations}. */
    private static final long HEAP_PAGE_BYTES = 6 * PoolUnderTest.MIB;

    final PoolUnderTest under;
    final MemoryPool pool;

    /** Asked for before: nothing may be called between taking and noting. */
    final PageCache cache;

    /** How a pool was when an operation was set up. */
    enum Before {
        /** Nobody has used it but {@linkplain #addBystanders bystanders}. */
        FRESH(""),

        /** Much was given back to it, and lies at hand. */
        USED("used.");

        /** Of the names of operations. */
        final String prefix;

        Before(String prefix) {
            this.prefix = prefix;
        }

        /** Has it so before the rest of a set-up. */
        Function<Holdings, Operation> then(Function<Holdings, Operation> setUp) {
            return held -> {
                if (this == USED) {
                    held.useAndGiveBack();
                }
                return setUp.apply(held);
            };
        }
    }

    private final List<HeldArena> arenas = new ArrayList<>();
    private final List<HeldPage> pages = new ArrayList<>();
    private final List<HeldHeap> heaps = new ArrayList<>();
    private final List<HeldCache> caches = new ArrayList<>();
    private final List<HeldBlock> blocks = new ArrayList<>();

    Holdings(PoolUnderTest under) {
        this.under = under;
        this.pool = under.pool;
        this.cache = pool.pages();
    }

    /** What opens arenas of one kind. */
    enum ArenaKind {
        CONFINED {
            @Override
            Arena open(MemoryPool pool) {
                return pool.openConfined();
            }
        },
        SHARED {
            @Override
            Arena open(MemoryPool pool) {
                return pool.openShared();
            }
        },
        DEFERRED {
            @Override
            Arena open(MemoryPool pool) {
                return pool.openSharedDeferred();
            }
        };

        abstract Arena open(MemoryPool pool);
    }

    HeldArena open(ArenaKind kind) {
        return add(new HeldArena(kind.open(pool)));
    }

    HeldArena openFreeing() {
        return add(new HeldArena(pool.openFreeing()));
    }

    private HeldArena add(HeldArena arena) {
        arenas.add(arena);
        return arena;
    }

    HeldPage take(long bytes) {
        return add(cache.allocate(bytes));
    }

    /** Notes a page that was taken. */
    HeldPage add(Page page) {
        HeldPage held = new HeldPage(page);
        pages.add(held);
        return held;
    }

    /** Views a page, whose memory nobody has seen yet. */
    void view(HeldPage page, HeldArena arena) {
        arena.add(page.page().segment(arena.arena()));
    }

    /** Opens a heap that is compacted only when somebody asks. */
    HeldHeap openHeap(long maxBytes) {
        RelocatingHeap heap =
                pool.openHeap(HeapOptions.DEFAULT.withMaxBytes(maxBytes).withCompactionShare(0));
        HeldHeap held = new HeldHeap(heap);
        heaps.add(held);
        return held;
    }

    /** Opens a cache; all its keys have the same hash, or each one of its own. */
    HeldCache openCache(boolean collide, @Nullable Duration lifetime) {
        HeldCache held = new HeldCache(CacheInside.open(pool, collide, lifetime));
        caches.add(held);
        return held;
    }

    /** Notes a block that is to be allocated. */
    HeldBlock newBlock() {
        HeldBlock block = new HeldBlock(pool.blocks(), blocks.size() + 1L);
        blocks.add(block);
        return block;
    }

    /** Allocates a block and writes to it. */
    HeldBlock allocateBlock(long bytes) {
        HeldBlock block = newBlock();
        block.address = pool.blocks().allocateAddress(bytes);
        block.paint();
        return block;
    }

    /** Has something of everything; what the pool does must not touch it. */
    void addBystanders() {
        HeldArena inSlab = open(ArenaKind.CONFINED);
        inSlab.allocate(100);
        HeldArena inChunks = open(ArenaKind.CONFINED);
        inChunks.allocate(1000);
        inChunks.allocate(20_000);
        HeldArena shared = open(ArenaKind.SHARED);
        shared.allocate(3000);
        view(take(1), shared);
        open(ArenaKind.DEFERRED).allocate(500);
    }

    /**
     * Has something of everything, and gives it back: what a program that ran for a while leaves at
     * hand, in threads, slots, caches, spans and pages.
     */
    void useAndGiveBack() {
        List<HeldArena> used = new ArrayList<>();
        for (ArenaKind kind : ArenaKind.values()) {
            for (int i = 0; i < 3; i++) {
                HeldArena arena = open(kind);
                for (int bytes = 100; bytes < 300_000 << i; bytes *= 7) {
                    arena.allocate(bytes);
                }
                used.add(arena);
            }
        }
        List<HeldBlock> freed = new ArrayList<>();
        for (long bytes : new long[] {100, 3000, 30_000, 100_000, 3 * PoolUnderTest.MIB}) {
            freed.add(allocateBlock(bytes));
            freed.add(allocateBlock(bytes));
        }
        HeldPage page = take(3 * PoolUnderTest.MIB);
        used.forEach(HeldArena::closeInSetUp);
        freed.forEach(HeldBlock::free);
        page.give();
    }

    /** Opens and takes something of everything, and writes to it. */
    void useEverything() {
        for (ArenaKind kind : ArenaKind.values()) {
            HeldArena arena = open(kind);
            for (long bytes : new long[] {1, 1000, 5000, 30_000}) {
                arena.allocate(bytes);
            }
        }
        view(take(1), open(ArenaKind.CONFINED));
        caches.forEach(HeldCache::useEverything);
    }

    /** Checks that all that was written is there. */
    void verify() {
        arenas.forEach(HeldArena::verify);
        heaps.forEach(HeldHeap::verify);
        caches.forEach(HeldCache::verify);
        blocks.forEach(HeldBlock::verify);
        if (!heaps.isEmpty() && under.isOpen()) {
            requireFreePageIsZero();
        }
    }

    /** What a heap gave back as if nobody had written to it. */
    private void requireFreePageIsZero() {
        Page page = cache.allocate(HEAP_PAGE_BYTES);
        try (Arena arena = Arena.ofConfined()) {
            Paint.requireZero(page.segment(arena));
        } finally {
            page.close();
        }
    }

    /** Gives everything back. */
    void closeAll() throws Exception {
        for (HeldHeap heap : heaps) {
            heap.close();
        }
        for (HeldCache each : caches) {
            each.close();
        }
        for (HeldBlock block : blocks) {
            block.free();
        }
        for (HeldPage page : pages) {
            page.give();
        }
        for (HeldArena arena : arenas) {
            arena.freeUnsure();
            arena.close();
        }
    }
}
