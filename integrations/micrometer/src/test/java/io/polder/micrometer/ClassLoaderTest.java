package io.polder.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;

/**
 * An application that is deployed and removed, with these classes in its own class loader and the
 * registry outside of it.
 */
class ClassLoaderTest {
    private final MeterRegistry registry = new SimpleMeterRegistry();

    /** Finds the classes of this module by itself, and all else in its parent. */
    private static final class Application extends URLClassLoader {
        Application() {
            super(
                    new URL[] {
                        PolderMetrics.class.getProtectionDomain().getCodeSource().getLocation()
                    });
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                if (!name.startsWith("io.polder.micrometer.")) {
                    return super.loadClass(name, resolve);
                }
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : findClass(name);
            }
        }
    }

    @Test
    void application_closedItsBinding_isGone() throws Exception {
        WeakReference<ClassLoader> gone = deployAndRemove();
        assertThat(registry.getMeters()).isEmpty();
        Await.unreachable(gone);
    }

    private WeakReference<ClassLoader> deployAndRemove()
            throws IOException, ReflectiveOperationException {
        try (Application application = new Application()) {
            Class<?> metrics = application.loadClass(PolderMetrics.class.getName());
            assertThat(metrics).isNotEqualTo(PolderMetrics.class);
            Object binding =
                    metrics.getMethod("bindToAll", MeterRegistry.class).invoke(null, registry);
            assertThat(registry.find("polder.memory.used").gauges()).isNotEmpty();
            try (AutoCloseable closing = (AutoCloseable) binding) {
                assertThat(closing).isNotNull();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return new WeakReference<>(application);
        }
    }

    /** It forgot to, but the registry was its own. */
    @Test
    void application_goesWithItsRegistry_isGone() throws Exception {
        Await.unreachable(deployWithARegistryOfItsOwn());
    }

    private static WeakReference<ClassLoader> deployWithARegistryOfItsOwn()
            throws IOException, ReflectiveOperationException {
        try (Application application = new Application()) {
            MeterRegistry its = new SimpleMeterRegistry();
            application
                    .loadClass(PolderMetrics.class.getName())
                    .getMethod("bindToAll", MeterRegistry.class)
                    .invoke(null, its);
            its.getMeters().forEach(each -> each.measure().forEach(one -> one.getValue()));
            return new WeakReference<>(application);
        }
    }
}
