package io.polder;

import java.lang.foreign.Arena;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;

/**
 * A program that is removed from its server: a copy of the library opens a pool, and its class
 * loader is closed before the pool was told of. Says when the copy is at rest.
 */
final class ClosedLoaderProbe {
    private ClosedLoaderProbe() {}

    /**
     * Runs it.
     *
     * @param args whether it closes the pool, or uses the common one, which stays; the classes
     */
    public static void main(String[] args) throws Exception {
        URL[] classes = {Path.of(args[1]).toUri().toURL()};
        Object telling;
        try (URLClassLoader loader =
                new URLClassLoader(classes, ClassLoader.getPlatformClassLoader())) {
            use(loader.loadClass("io.polder.MemoryPool"), args[0].equals("closes"));
            telling = telling(loader.loadClass("io.polder.OpenPools"));
        }
        Await.until("the task is at rest", () -> isAsleep(telling));
        System.out.println("at rest");
    }

    static void use(Class<?> pools, boolean closes) throws ReflectiveOperationException {
        if (closes) {
            Object builder = pools.getMethod("builder").invoke(null);
            Object pool = builder.getClass().getMethod("build").invoke(builder);
            allocate((Arena) pools.getMethod("openConfined").invoke(pool));
            pools.getMethod("close").invoke(pool);
        } else {
            allocate((Arena) pools.getMethod("ofConfined").invoke(null));
            Object _ = pools.getMethod("common").invoke(null);
        }
    }

    /** The task of the copy that tells of pools. */
    static Object telling(Class<?> openPools) throws ReflectiveOperationException {
        Field one = openPools.getDeclaredField("INSTANCE");
        one.setAccessible(true);
        Field task = openPools.getDeclaredField("task");
        task.setAccessible(true);
        return task.get(one.get(null));
    }

    private static void allocate(Arena arena) {
        try (arena) {
            long _ = arena.allocate(100).byteSize();
        }
    }

    static boolean isAsleep(Object task) {
        try {
            return (boolean) task.getClass().getMethod("isAsleep").invoke(task);
        } catch (ReflectiveOperationException renamed) {
            throw new LinkageError("a task says whether it is asleep", renamed);
        }
    }
}
