package io.polder;

import io.polder.heap.RelocatingHeap;

import java.lang.foreign.Arena;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Uses the library as applications of one server do, which has it above them: each in a thread of
 * its own, with a group of the application's, and its class loader for its context, and as a value
 * that threads inherit. The first one to use something may start or make what lasts. Ends when
 * nobody keeps any of the loaders or groups.
 */
final class ContextLoaderProbe {
    private static final InheritableThreadLocal<ClassLoader> INHERITED =
            new InheritableThreadLocal<>();

    private static final MemoryPool[] POOL = new MemoryPool[1];

    /** One that stays. */
    private static final RelocatingHeap[] HEAP = new RelocatingHeap[1];

    private ContextLoaderProbe() {}

    public static void main(String[] args) throws InterruptedException {
        List<WeakReference<Group>> groups = new ArrayList<>();
        for (Runnable each :
                List.<Runnable>of(
                        () ->
                                POOL[0] =
                                        MemoryPool.builder()
                                                .leaks(LeakDetection.ALL)
                                                .decay(Duration.ofMillis(10))
                                                .build(),
                        () -> forgotten(MemoryPool.ofConfined()),
                        () -> forgotten(MemoryPool.ofShared()),
                        () -> arena(MemoryPool.ofConfined()),
                        () -> arena(MemoryPool.ofShared()),
                        () -> arena(MemoryPool.ofSharedDeferred()),
                        ContextLoaderProbe::freeing,
                        () -> POOL[0].blocks().freeAddress(POOL[0].blocks().allocateAddress(100)),
                        () -> POOL[0].pages().allocate(4 << 20).close(),
                        ContextLoaderProbe::heap,
                        () -> HEAP[0] = POOL[0].openHeap(),
                        ContextLoaderProbe::compacts,
                        ContextLoaderProbe::looks,
                        () -> POOL[0].close())) {
            groups.add(application(each));
        }
        for (int i = 0; i < groups.size(); i++) {
            WeakReference<Group> group = groups.get(i);
            Await.until(
                    "what application " + i + " had is collected",
                    () -> {
                        System.gc();
                        return group.refersTo(null);
                    });
        }
        System.out.println(groups.size() + " loaders collected");
    }

    /** A group of threads, which knows the application. */
    private static final class Group extends ThreadGroup {
        final ClassLoader loader = new URLClassLoader(new URL[0], null);

        Group() {
            super("application");
        }
    }

    /** Nobody closes it, and nobody does what was to be done then. */
    @SuppressWarnings("restricted") // the only way to register an action
    private static void forgotten(Arena arena) {
        ClassLoader mine = Thread.currentThread().getContextClassLoader();
        var _ = arena.allocate(100).reinterpret(arena, _ -> mine.clearAssertionStatus());
    }

    private static void looks() {
        PoolStatistics _ = POOL[0].stats();
        String _ = POOL[0].report();
        long _ = POOL[0].trim();
    }

    private static void freeing() {
        try (FreeingArena arena = POOL[0].openFreeing()) {
            arena.free(arena.allocate(100, 8));
        }
    }

    private static void arena(Arena arena) {
        try (arena) {
            arena.allocate(100);
            arena.allocate(3 << 20);
        }
    }

    private static void heap() {
        try (RelocatingHeap heap = POOL[0].openHeap()) {
            long _ = heap.allocate(100);
        }
    }

    private static void compacts() {
        HEAP[0].free(HEAP[0].allocate(100));
        long _ = HEAP[0].compact();
    }

    private static WeakReference<Group> application(Runnable work) throws InterruptedException {
        Group group = new Group();
        Thread thread =
                Thread.ofPlatform()
                        .group(group)
                        .unstarted(
                                () -> {
                                    INHERITED.set(Thread.currentThread().getContextClassLoader());
                                    work.run();
                                });
        thread.setContextClassLoader(group.loader);
        thread.start();
        thread.join();
        return new WeakReference<>(group);
    }
}
