package io.polder;

import io.polder.heap.HeapObjects;
import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A program for {@link ChildJvm}: does something with Polder in each of some frames near the end of
 * a stack, and nothing like it before in the process. Then it does all that there is with stack
 * enough, and prints what failed. Arguments: what, the least and the most frames that are left.
 */
final class DeepFirstUseProbe {
    private static final long STACK_BYTES = 1 << 20;
    private static final long LIMIT = 1 << 30;

    // Made before: what the program itself links near the end of a stack is not looked at here.
    private static final Consumer<MemorySegment> FILL = DeepFirstUseProbe::fill;
    private static final Function<HeapObjects, Integer> LOOK = DeepFirstUseProbe::look;

    /** What is done, in an order in which none but the first needs what another one has made. */
    enum Use {
        BEGINNING,
        POOL,
        ARENA,
        CONFINED,
        SHARED,
        DEFERRED,
        FREEING,
        BLOCK,
        PAGE,
        HEAP,
        LISTS,
        TRIM,
        STATISTICS,
        CLOSE,
        TRACE,
        CHECK,
        REFUSED_CONFINED,
        REFUSED_SHARED,
        REFUSED_BLOCK,
        REFUSED_PAGE,
        REFUSED_PAGE_IN_TIME,
        REFUSED_OBJECT;

        /** Whether nothing of Polder's was used before. */
        boolean isFirst() {
            return this == BEGINNING || this == POOL;
        }

        boolean isRefused() {
            return name().startsWith("REFUSED");
        }
    }

    private final Use use;
    private final int least;
    private final int most;

    /** None while nothing of Polder's is to have been used. */
    @SuppressWarnings("NullAway.Init")
    private MemoryPool pool;

    private int tried;
    private @Nullable Throwable last;
    private int done;

    private DeepFirstUseProbe(String[] args) {
        this.use = Use.valueOf(args[0]);
        this.least = Integer.parseInt(args[1]);
        this.most = Integer.parseInt(args[2]);
    }

    /** Does it. */
    public static void main(String[] args) throws InterruptedException {
        try (Arena jdk = Arena.ofConfined()) {
            jdk.allocate(8); // what any program may have used before
        }
        new DeepFirstUseProbe(args).run();
    }

    private void run() throws InterruptedException {
        if (!use.isFirst()) {
            MemoryPool.common();
            pool = limited(MemoryPool.builder());
        }
        Thread deep = new Thread(null, this::down, "deep", STACK_BYTES);
        deep.start();
        deep.join();
        System.out.println("tried=" + tried + ", done=" + done + ", last=" + last);
        MemoryPool.common();
        if (use.isFirst()) {
            pool = limited(MemoryPool.builder());
        }
        List<String> faults = new ArrayList<>();
        for (Use each : Use.values()) {
            try {
                if (!tryOut(each)) {
                    faults.add(each + " was refused, or was not");
                }
            } catch (Throwable thrown) {
                thrown.printStackTrace();
                faults.add(each + ": " + thrown);
            }
        }
        pool.close();
        if (pool.stats().reservedBytes() != 0) {
            faults.add("reserved=" + pool.stats().reservedBytes());
        }
        if (MemoryPool.common().stats().usedBytes() == 0) {
            faults.add("arenas are not pooled");
        }
        System.getLogger("probe").log(Level.WARNING, "the logger works");
        System.out.println(faults.isEmpty() ? "whole" : "BROKEN " + faults);
    }

    static MemoryPool limited(MemoryPool.Builder builder) {
        MemoryPool made =
                builder.name("limited").committedMaxBytes(LIMIT).logExhaustion(true).build();
        Runnable _ = made.addShrinker(_ -> 0, () -> String.format(Locale.ROOT, "%.2f MB", 0.5));
        return made;
    }

    /** Returns how many frames there were to the end of the stack. */
    @SuppressWarnings("InfiniteRecursion") // it is about the end of the stack
    private int down() {
        int left;
        try {
            left = down();
        } catch (StackOverflowError end) {
            left = 0;
        }
        if (left >= least && left <= most) {
            tryDeep();
        }
        return left + 1;
    }

    private void tryDeep() {
        tried++;
        try {
            done += tryOut(use) ? 1 : 0;
        } catch (Throwable end) {
            last = end; // what counts is what comes afterwards
        }
    }

    /** Returns whether it was refused as it should be, or not. */
    private boolean tryOut(Use what) throws InterruptedException {
        try {
            use(what, pool);
            return !what.isRefused();
        } catch (OutOfMemoryError refusal) {
            String message = String.valueOf(refusal.getMessage());
            return what.isRefused() && message.contains("committedMaxBytes=" + LIMIT);
        }
    }

    /** Does it in a pool with a limit. */
    static void use(Use what, MemoryPool pool) throws InterruptedException {
        switch (what) {
            case BEGINNING, ARENA -> use(MemoryPool.ofConfined());
            case POOL -> MemoryPool.builder().name("another").build().close();
            case CONFINED -> use(pool.openConfined());
            case SHARED -> use(pool.openShared());
            case DEFERRED -> use(pool.openSharedDeferred());
            case FREEING -> useFreeing(pool);
            case BLOCK -> useBlocks(pool);
            case PAGE -> usePages(pool);
            case HEAP -> useHeap(pool);
            case LISTS -> {
                int _ = MemoryPool.openPools().size() + pool.memory.heaps.list().size();
            }
            case TRIM -> {
                long _ = pool.trim();
            }
            case STATISTICS -> {
                Objects.requireNonNull(pool.stats());
                Objects.requireNonNull(pool.report());
                Objects.requireNonNull(pool.map().toString());
            }
            case CLOSE -> useAll(MemoryPool.builder().build());
            case TRACE -> useAll(MemoryPool.builder().leaks(LeakDetection.ALL).build());
            case CHECK -> useAll(MemoryPool.builder().checkBlocks(true).build());
            default -> refuse(what, pool);
        }
    }

    private static void refuse(Use what, MemoryPool pool) throws InterruptedException {
        switch (what) {
            case REFUSED_CONFINED -> {
                try (Arena arena = pool.openConfined()) {
                    arena.allocate(LIMIT + 1);
                }
            }
            case REFUSED_SHARED -> {
                try (Arena arena = pool.openShared()) {
                    arena.allocate(LIMIT + 1);
                }
            }
            case REFUSED_BLOCK -> pool.blocks().allocateAddress(LIMIT + 1);
            case REFUSED_PAGE -> pool.pages().allocate(LIMIT + 1);
            case REFUSED_PAGE_IN_TIME -> pool.pages().allocate(LIMIT + 1, Duration.ofMillis(1));
            case REFUSED_OBJECT -> {
                try (RelocatingHeap heap = pool.openHeap()) {
                    heap.allocate(LIMIT + 1);
                }
            }
            default -> throw new AssertionError(what);
        }
    }

    private static void fill(MemorySegment object) {
        object.fill((byte) 1);
    }

    private static Integer look(HeapObjects inside) {
        return inside.hashCode();
    }

    private static void use(Arena arena) {
        try (arena) {
            MemorySegment memory = arena.allocate(8);
            memory.set(ValueLayout.JAVA_LONG, 0, 42);
            arena.allocate(1 << 20).fill((byte) 1);
            arena.allocate(3 << 20);
        }
    }

    private static void useFreeing(MemoryPool pool) {
        try (FreeingArena arena = pool.openFreeing()) {
            arena.free(arena.allocate(100, 8));
            arena.allocate(1 << 20, 8);
        }
    }

    private static void useBlocks(MemoryPool pool) {
        BlockAllocator blocks = pool.blocks();
        long address = blocks.allocateAddress(100);
        blocks.freeAddress(blocks.reallocateAddress(address, 1 << 20));
        blocks.free(blocks.allocate(100, 8));
    }

    private static void usePages(MemoryPool pool) throws InterruptedException {
        try (Page page = pool.pages().allocate(1);
                Arena arena = Arena.ofConfined()) {
            page.segment(arena).set(ValueLayout.JAVA_LONG, 0, 42);
        }
        pool.pages().allocate(1, Duration.ofMinutes(1)).close();
        pool.pages().allocate(2 << 20, 4 << 20).close();
        pool.pages().prefetch(1, 1);
    }

    private static void useHeap(MemoryPool pool) {
        try (RelocatingHeap heap = pool.openHeap()) {
            long[] handles = new long[3];
            heap.allocateAll(100, handles);
            long large = heap.allocate(3 << 20);
            heap.update(handles[0], FILL);
            Objects.requireNonNull(heap.session(LOOK));
            Objects.requireNonNull(heap.toArray(handles[0]));
            heap.resize(handles[0], 1000);
            heap.free(large);
            heap.freeAll(handles);
            heap.compact();
        }
    }

    private static void useAll(MemoryPool pool) throws InterruptedException {
        use(pool.openConfined());
        use(pool.openShared());
        use(pool.openSharedDeferred());
        useFreeing(pool);
        useBlocks(pool);
        usePages(pool);
        useHeap(pool);
        pool.close();
    }
}
