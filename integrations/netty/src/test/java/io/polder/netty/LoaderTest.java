package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import io.polder.MemoryPool;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;

/**
 * Class loaders of applications that have Netty and the allocator, beside one library. One test
 * after the other, since each counts pools.
 */
@Execution(ExecutionMode.SAME_THREAD)
class LoaderTest {
    private static final long DEADLINE_NANOS = 200_000_000_000L;
    private static final int LOADERS = 3;

    @Test
    void allocator_inLoadersThatComeAndGo_keepsNeitherLoaderNorPoolNorMBean() throws Exception {
        assertThat(PolderByteBufAllocator.DEFAULT.pool()).isNotNull(); // the one that stays
        await(() -> pools() == 1);
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

    /** In a loader of its own, where nobody has used the default one yet. */
    @Test
    void constructor_ofAnotherPool_opensNoPoolForTheDefault() throws Exception {
        assertThat(PolderByteBufAllocator.DEFAULT.pool()).isNotNull(); // the one that stays
        await(() -> pools() == 1);
        try (Application loader = new Application();
                MemoryPool pool = MemoryPool.builder().name("frontend").build()) {
            Class<?> type = loader.loadClass(PolderByteBufAllocator.class.getName());
            Object allocator = type.getConstructor(MemoryPool.class).newInstance(pool);
            Object buffer = type.getMethod("directBuffer", int.class).invoke(allocator, 1000);
            Class<?> counted = loader.loadClass(ReferenceCounted.class.getName());
            assertThat(counted.getMethod("release").invoke(buffer)).isEqualTo(true);
            assertThat(type.getMethod("pool").invoke(allocator)).isSameAs(pool);
            Object unused = type.getField("DEFAULT").get(null);
            assertThat(unused).hasToString("PolderByteBufAllocator[not yet used]");
            assertThat(pools()).isEqualTo(1);

            Object pooled = type.getMethod("directBuffer", int.class).invoke(unused, 1000);
            assertThat(counted.getMethod("release").invoke(pooled)).isEqualTo(true);
            assertThat(pools()).isEqualTo(2);
            Object opened = type.getMethod("pool").invoke(unused);
            assertThat(opened).isSameAs(type.getMethod("pool").invoke(unused));
            assertThat(unused).hasToString("PolderByteBufAllocator[" + opened + "]");
        }
    }

    private static void await(BooleanSupplier done) throws InterruptedException {
        long end = System.nanoTime() + DEADLINE_NANOS;
        while (!done.getAsBoolean() && System.nanoTime() < end) {
            System.gc();
            Thread.sleep(20);
        }
    }

    /** Open pools of allocators. */
    private static long pools() {
        return MemoryPool.openPools().stream().filter(pool -> pool.name().equals("netty")).count();
    }

    private static int beans() {
        try {
            ObjectName names = new ObjectName("io.polder:type=MemoryPool,name=\"netty\",*");
            return ManagementFactory.getPlatformMBeanServer().queryNames(names, null).size();
        } catch (MalformedObjectNameException e) {
            throw new AssertionError("a name that the pools have", e);
        }
    }

    private static boolean allGone(List<WeakReference<ClassLoader>> loaders) {
        return loaders.stream().allMatch(loader -> loader.refersTo(null));
    }

    /** A buffer of an allocator in a loader of its own, whose pool is kept. */
    private static WeakReference<ClassLoader> use(List<MemoryPool> used) throws Exception {
        try (Application loader = new Application()) {
            Class<?> type = loader.loadClass(PolderByteBufAllocator.class.getName());
            assertThat(type).isNotEqualTo(PolderByteBufAllocator.class);
            Object allocator = type.getField("DEFAULT").get(null);
            Object buffer = type.getMethod("directBuffer", int.class).invoke(allocator, 1000);
            Class<?> counted = loader.loadClass(ReferenceCounted.class.getName());
            assertThat(counted.getMethod("release").invoke(buffer)).isEqualTo(true);
            assertThat(type.getMethod("isDirectBufferPooled").invoke(allocator)).isEqualTo(true);
            used.add((MemoryPool) type.getMethod("pool").invoke(allocator));
            return new WeakReference<>(loader);
        }
    }

    /** Has Netty and the allocator itself, and the library from the loader of this test. */
    private static final class Application extends URLClassLoader {
        Application() {
            super(
                    new URL[] {
                        jar(PolderByteBufAllocator.class),
                        jar(ByteBuf.class),
                        jar(ReferenceCounted.class)
                    },
                    ClassLoader.getPlatformClassLoader());
        }

        private static URL jar(Class<?> type) {
            return type.getProtectionDomain().getCodeSource().getLocation();
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            boolean ofLibrary =
                    name.startsWith("io.polder.") && !name.startsWith("io.polder.netty.");
            return ofLibrary
                    ? LoaderTest.class.getClassLoader().loadClass(name)
                    : super.findClass(name);
        }
    }
}
