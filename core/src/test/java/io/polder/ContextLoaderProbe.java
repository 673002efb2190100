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
 * its own, with the application's class loader for its context, and as a value that threads
 * inherit. The first one to use something may start or make what lasts. Ends when nobody keeps any
 * of the loaders.
 */
final class ContextLoaderProbe {
    private static final InheritableThreadLocal<ClassLoader> INHERITED =
            new InheritableThreadLocal<>();

    private static final MemoryPool[] POOL = new MemoryPool[1];

    private ContextLoaderProbe() {}

    public static void main(String[] args) throws InterruptedException {
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        for (Runnable each :
                List.<Runnable>of(
                        () ->
                                POOL[0] =
                                        MemoryPool.builder()
                                                .leaks(LeakDetection.ALL)
                                                .decay(Duration.ofMillis(10))
                                                .build(),
                        () -> arena(MemoryPool.ofConfined()),
                        () -> arena(MemoryPool.ofShared()),
                        () -> arena(MemoryPool.ofSharedDeferred()),
                        ContextLoaderProbe::freeing,
                        () -> POOL[0].blocks().free(POOL[0].blocks().allocate(100)),
                        () -> POOL[0].pages().give(POOL[0].pages().take(4 << 20)),
                        ContextLoaderProbe::heap,
                        ContextLoaderProbe::looks,
                        () -> POOL[0].close())) {
            loaders.add(application(each));
        }
        for (int i = 0; i < loaders.size(); i++) {
            WeakReference<ClassLoader> loader = loaders.get(i);
            Await.until(
                    "the loader of application " + i + " is collected",
                    () -> {
                        System.gc();
                        return loader.refersTo(null);
                    });
        }
        System.out.println(loaders.size() + " loaders collected");
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

    private static WeakReference<ClassLoader> application(Runnable work)
            throws InterruptedException {
        ClassLoader loader = new URLClassLoader(new URL[0], null);
        Thread thread =
                Thread.ofPlatform()
                        .unstarted(
                                () -> {
                                    INHERITED.set(Thread.currentThread().getContextClassLoader());
                                    work.run();
                                });
        thread.setContextClassLoader(loader);
        thread.start();
        thread.join();
        return new WeakReference<>(loader);
    }
}
