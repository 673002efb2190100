package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.MemoryPool;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.integration.CacheLoader;
import javax.cache.management.CacheStatisticsMXBean;
import javax.management.MBeanRegistration;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/** The beans of caches, and caches that are made or closed while a part of that fails. */
class BeansTest extends JCacheFixture {
    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

    private static ObjectName statistics(String manager, String cache) throws Exception {
        return new ObjectName(
                "javax.cache:type=CacheStatistics,CacheManager=" + manager + ",Cache=" + cache);
    }

    private static PolderConfiguration<Integer, Integer> counted() {
        PolderConfiguration<Integer, Integer> configuration = types(Integer.class, Integer.class);
        configuration.setStatisticsEnabled(true).setManagementEnabled(true);
        return configuration;
    }

    /** A bean that refuses to go. */
    private static final class Clinging extends StandardMBean implements MBeanRegistration {
        private boolean clings = true;

        private Clinging() {
            super(new Statistics(() -> 0), CacheStatisticsMXBean.class, true);
        }

        @Override
        public void preDeregister() {
            if (clings) {
                throw new IllegalStateException("refused by the test");
            }
        }
    }

    @Test
    void names_thatAreNoNamesOfBeans_areMadeSuch() throws Exception {
        CacheManager manager = manager("?maximumBytes=33554432");
        Cache<Integer, Integer> cache = manager.createCache("a\"b*c", counted());
        ObjectName name = statistics("polder.//test.maximumBytes.33554432", "a.b.c");
        cache.put(1, 1);
        assertThat(SERVER.getAttribute(name, "CachePuts")).isEqualTo(1L);
        cache.close();
        assertThat(SERVER.isRegistered(name)).isFalse();
    }

    /** As where one thread switches statistics on and another one closes the cache. */
    @Test
    void bean_ofAClosedCache_isNotRegistered() throws Exception {
        Cache<Integer, Integer> cache = manager("").createCache("closed", counted());
        cache.close();
        new Beans().setStatistics(cache, new Statistics(() -> 0), true);
        assertThat(SERVER.isRegistered(statistics("polder.//test", "closed"))).isFalse();
    }

    @Test
    void bean_ofAnotherClassLoader_stays() throws Exception {
        CacheManager first = manager("");
        CacheManager second =
                provider.getCacheManager(first.getURI(), ClassLoader.getPlatformClassLoader());
        Cache<Integer, Integer> counted = first.createCache("b", counted());
        Cache<Integer, Integer> other =
                second.createCache("b", types(Integer.class, Integer.class));
        ObjectName name = statistics("polder.//test", "b");
        assertThat(SERVER.isRegistered(name)).isTrue();
        other.close();
        assertThat(SERVER.isRegistered(name)).isTrue();
        counted.close();
        assertThat(SERVER.isRegistered(name)).isFalse();
    }

    private static boolean setsStatistics(CacheManager manager, CyclicBarrier turns)
            throws Exception {
        try {
            for (int i = 0; i < 10_000; i++) {
                turns.await();
                manager.enableStatistics("b", true);
                turns.await();
                manager.enableStatistics("b", false);
            }
            return true;
        } finally {
            turns.reset(); // nobody waits for who has failed
        }
    }

    @Test
    void bean_ofTwoClassLoadersAtOnce_isThatOfOne() throws Exception {
        CacheManager first = manager("");
        CacheManager second =
                provider.getCacheManager(first.getURI(), ClassLoader.getPlatformClassLoader());
        CyclicBarrier turns = new CyclicBarrier(2);
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<Boolean>> both = new ArrayList<>();
            for (CacheManager each : List.of(first, second)) {
                each.createCache("b", types(Integer.class, Integer.class));
                both.add(threads.submit(() -> setsStatistics(each, turns)));
            }
            for (Future<Boolean> each : both) {
                assertThat(each.get(200, TimeUnit.SECONDS)).isTrue();
            }
        }
        assertThat(SERVER.isRegistered(statistics("polder.//test", "b"))).isFalse();
    }

    @Test
    void close_whoseBeanStays_closesAllElse() throws Exception {
        CacheManager manager = manager("");
        ObjectName name = statistics("polder.//test", "a");
        Clinging clinging = new Clinging();
        try (MemoryPool pool = MemoryPool.builder().name("jcache-beans-test").build()) {
            Cache<Integer, Integer> cache = manager.createCache("a", counted().setPool(() -> pool));
            cache.put(1, 1);
            assertThat(pool.stats().pages().takenBytes()).isPositive();
            SERVER.unregisterMBean(name);
            Object _ = SERVER.registerMBean(clinging, name);
            assertThatThrownBy(manager::close)
                    .isInstanceOf(CacheException.class)
                    .hasMessageContaining("name=a");
            assertThat(pool.stats().pages().takenBytes()).isZero();
        } finally {
            clinging.clings = false;
            SERVER.unregisterMBean(name);
        }
    }

    /** A loader that cannot be closed. */
    private static final class Stuck implements CacheLoader<Integer, Integer>, AutoCloseable {
        @Override
        public @Nullable Integer load(Integer key) {
            return null;
        }

        @Override
        public Map<Integer, Integer> loadAll(Iterable<? extends Integer> keys) {
            return Map.of();
        }

        @Override
        public void close() {
            throw new AssertionError("refused by the test");
        }
    }

    @Test
    void close_ofManagers_closesAllCachesAndThrowsOnce() {
        CacheManager first = manager("");
        CacheManager second = provider.getCacheManager(URI.create("polder://second"), null);
        for (CacheManager each : new CacheManager[] {first, second}) {
            for (String name : new String[] {"a", "b"}) {
                PolderConfiguration<Integer, Integer> configuration = counted();
                configuration.setCacheLoaderFactory(Stuck::new);
                each.createCache(name, configuration);
            }
        }
        Cache<Integer, Integer> ofFirst = first.getCache("a");
        Cache<Integer, Integer> otherOfFirst = first.getCache("b");
        assertThatThrownBy(provider::close)
                .isInstanceOf(AssertionError.class)
                .hasMessage("refused by the test")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2));
        assertThat(ofFirst.isClosed()).isTrue();
        assertThat(otherOfFirst.isClosed()).isTrue();
        assertThat(second.isClosed()).isTrue();
    }

    @Test
    void createCache_thatFails_leavesNoCache() throws Exception {
        boolean[] copied = {false};
        MutableConfiguration<Integer, Integer> failing =
                new MutableConfiguration<>() {
                    private static final long serialVersionUID = 1L;

                    @Override
                    public boolean isStatisticsEnabled() {
                        if (copied[0]) {
                            throw new IllegalStateException("refused by the test");
                        }
                        return true;
                    }
                };
        failing.setTypes(Integer.class, Integer.class).setManagementEnabled(true);
        failing.setCacheLoaderFactory(
                () -> { // the cache has its copy of the configuration
                    copied[0] = true;
                    return new Stuck();
                });
        CacheManager manager = manager("");
        assertThatThrownBy(() -> manager.createCache("a", failing))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("refused by the test")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1)); // of the loader's close
        assertThat(manager.getCacheNames()).isEmpty();
        ObjectName name =
                new ObjectName(
                        "javax.cache:type=CacheConfiguration,CacheManager=polder.//test,Cache=a");
        assertThat(SERVER.isRegistered(name)).isFalse();
    }
}
