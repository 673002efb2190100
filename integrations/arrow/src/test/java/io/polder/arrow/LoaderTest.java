package io.polder.arrow;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.MemoryPool;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/** Class loaders of applications that have Arrow and its memory manager, beside one library. */
class LoaderTest {
    private static final long DEADLINE_NANOS = 200_000_000_000L;
    private static final int LOADERS = 3;

    /** What an application does: its pool, of which a buffer was allocated and released. */
    public static final class Program implements Supplier<MemoryPool> {
        /** Made in a class loader of its own. */
        public Program() {}

        @Override
        public MemoryPool get() {
            MemoryPool pool = PolderAllocationManager.pool();
            try (BufferAllocator allocator =
                            new RootAllocator(
                                    RootAllocator.configBuilder()
                                            .allocationManagerFactory(
                                                    PolderAllocationManager.FACTORY)
                                            .build());
                    ArrowBuf buffer = allocator.buffer(1000)) {
                buffer.setLong(0, 7);
                if (pool.stats().blocks().usedCount() != 1) {
                    throw new AssertionError("the buffer is one block: pool=" + pool.report());
                }
            }
            return pool;
        }
    }

    @Tag("full")
    @Test
    void manager_inLoadersThatComeAndGo_keepsNeitherLoaderNorPoolNorMBean() throws Exception {
        assertThat(PolderAllocationManager.pool()).isNotNull(); // the one that stays
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        List<MemoryPool> used = new ArrayList<>();
        for (int i = 0; i < LOADERS; i++) {
            loaders.add(use(used));
        }
        assertThat(pools()).isEqualTo(1 + LOADERS);
        await(() -> beans() == 1 + LOADERS);
        assertThat(beans()).isEqualTo(1 + LOADERS);
        used.clear();
        await(() -> allGone(loaders) && pools() == 1 && beans() <= 1);
        assertThat(loaders).allMatch(loader -> loader.refersTo(null));
        assertThat(pools()).isEqualTo(1);
        assertThat(beans()).isLessThanOrEqualTo(1);
    }

    private static void await(BooleanSupplier done) throws InterruptedException {
        long end = System.nanoTime() + DEADLINE_NANOS;
        while (!done.getAsBoolean() && System.nanoTime() < end) {
            System.gc();
            Thread.sleep(20);
        }
    }

    private static boolean allGone(List<WeakReference<ClassLoader>> loaders) {
        return loaders.stream().allMatch(loader -> loader.refersTo(null));
    }

    /** Open pools of managers. */
    private static long pools() {
        return MemoryPool.openPools().stream().filter(pool -> pool.name().equals("arrow")).count();
    }

    private static int beans() {
        try {
            ObjectName names = new ObjectName("io.polder:type=MemoryPool,name=\"arrow\",*");
            return ManagementFactory.getPlatformMBeanServer().queryNames(names, null).size();
        } catch (MalformedObjectNameException e) {
            throw new AssertionError("a name that the pools have", e);
        }
    }

    /** Runs the program in a loader of its own, and keeps its pool. */
    private static WeakReference<ClassLoader> use(List<MemoryPool> used) throws Exception {
        try (Application loader = new Application()) {
            Class<?> program = loader.loadClass(Program.class.getName());
            assertThat(program).isNotEqualTo(Program.class);
            Supplier<?> made = (Supplier<?>) program.getConstructor().newInstance();
            MemoryPool pool = (MemoryPool) made.get();
            assertThat(pool).isNotEqualTo(PolderAllocationManager.pool());
            assertThat(pool.stats().blocks().usedCount()).isZero();
            used.add(pool);
            return new WeakReference<>(loader);
        }
    }

    /** Has Arrow, what that needs, and the manager itself; the library is that of this test. */
    private static final class Application extends URLClassLoader {
        Application() throws MalformedURLException {
            super(classPath(), ClassLoader.getPlatformClassLoader());
        }

        private static URL[] classPath() throws MalformedURLException {
            List<URL> urls = new ArrayList<>();
            String classPath = System.getProperty("java.class.path");
            for (String each : classPath.split(File.pathSeparator, -1)) {
                urls.add(Path.of(each).toUri().toURL());
            }
            return urls.toArray(URL[]::new);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            boolean ofLibrary =
                    name.startsWith("io.polder.") && !name.startsWith("io.polder.arrow.");
            return ofLibrary
                    ? LoaderTest.class.getClassLoader().loadClass(name)
                    : super.findClass(name);
        }
    }
}
