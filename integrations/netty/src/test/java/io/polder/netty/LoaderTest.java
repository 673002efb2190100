package io.polder.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;

import org.junit.jupiter.api.Test;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/** Class loaders of applications that have Netty and the allocator, beside one library. */
class LoaderTest {
    private static final long DEADLINE_NANOS = 200_000_000_000L;

    @Test
    void allocator_inLoadersThatComeAndGo_keepsNone() throws Exception {
        List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            loaders.add(use());
        }
        long end = System.nanoTime() + DEADLINE_NANOS;
        while (!allGone(loaders) && System.nanoTime() < end) {
            System.gc();
            Thread.sleep(20);
        }
        assertThat(loaders).allMatch(loader -> loader.refersTo(null));
    }

    private static boolean allGone(List<WeakReference<ClassLoader>> loaders) {
        return loaders.stream().allMatch(loader -> loader.refersTo(null));
    }

    /** A buffer of an allocator in a loader of its own. */
    private static WeakReference<ClassLoader> use() throws Exception {
        try (Application loader = new Application()) {
            Class<?> type = loader.loadClass(PolderByteBufAllocator.class.getName());
            assertThat(type).isNotEqualTo(PolderByteBufAllocator.class);
            Object allocator = type.getField("DEFAULT").get(null);
            Object buffer = type.getMethod("directBuffer", int.class).invoke(allocator, 1000);
            Class<?> counted = loader.loadClass(ReferenceCounted.class.getName());
            assertThat(counted.getMethod("release").invoke(buffer)).isEqualTo(true);
            assertThat(type.getMethod("isDirectBufferPooled").invoke(allocator)).isEqualTo(true);
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
