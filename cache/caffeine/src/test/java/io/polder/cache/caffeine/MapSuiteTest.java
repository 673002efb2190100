package io.polder.cache.caffeine;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ForwardingConcurrentMap;
import com.google.common.collect.testing.ConcurrentMapTestSuiteBuilder;
import com.google.common.collect.testing.TestStringMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;

import io.polder.MemoryPool;
import io.polder.cache.Codec;
import io.polder.cache.OffHeapCache;

import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestResult;
import junit.framework.TestSuite;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * What Guava asks of every map that is a {@link ConcurrentMap}, asked of the map of an off-heap
 * cache and of the map that Caffeine's interface gives.
 *
 * <p>Nulls are no feature of it, neither as keys nor as values nor in questions: they are refused
 * as in {@link java.util.concurrent.ConcurrentHashMap}.
 */
class MapSuiteTest {
    /** Guava 33.8 has 932 tests for a map with these features; a suite that is empty passes. */
    private static final int TESTS_MIN = 900;

    private static final MemoryPool POOL = MemoryPool.builder().name("caffeine-map-suite").build();
    private static final List<OffHeapCache<String, String>> OPEN = new ArrayList<>();
    private static final AtomicInteger RUN = new AtomicInteger();

    @AfterAll
    static void allHaveRun() {
        long used = POOL.stats().pages().takenBytes();
        POOL.close();
        assertThat(used).as("pages that are taken").isZero();
        assertThat(RUN.get()).isGreaterThan(TESTS_MIN);
    }

    @Tag("full")
    @TestFactory
    DynamicNode mapOfOffHeapCache() {
        return node(suite("OffHeapCache.asMap", CollectionSize.ANY, OffHeapCache::asMap));
    }

    @TestFactory
    DynamicNode mapOfCaffeinesInterface() {
        return node(
                suite(
                        "Cache.asMap",
                        CollectionSize.ANY,
                        cache -> OffHeapCaffeine.asCaffeine(cache, key -> key).asMap()));
    }

    /** A canary. */
    @org.junit.jupiter.api.Test // not the Test of JUnit 3
    void suite_mapThatHasAllValues_fails() {
        TestResult result = new TestResult();
        suite("broken", CollectionSize.ONE, cache -> new Broken(cache.asMap())).run(result);
        closeAll();
        assertThat(result.failureCount()).isGreaterThan(0);
    }

    private static final class Broken extends ForwardingConcurrentMap<String, String> {
        private final ConcurrentMap<String, String> map;

        Broken(ConcurrentMap<String, String> map) {
            this.map = map;
        }

        @Override
        protected ConcurrentMap<String, String> delegate() {
            return map;
        }

        @Override
        public boolean containsValue(@Nullable Object value) {
            return true;
        }
    }

    private static TestSuite suite(
            String name,
            CollectionSize size,
            Function<OffHeapCache<String, String>, Map<String, String>> map) {
        return ConcurrentMapTestSuiteBuilder.using(new Generator(map))
                .named(name)
                .withFeatures(
                        MapFeature.GENERAL_PURPOSE,
                        MapFeature.ALLOWS_NULL_ENTRY_QUERIES,
                        CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                        size)
                .createTestSuite();
    }

    /** Tests of JUnit 3 as those of JUnit 6. */
    private static DynamicNode node(Test test) {
        if (test instanceof TestSuite suite) {
            return DynamicContainer.dynamicContainer(
                    suite.getName(),
                    Collections.list(suite.tests()).stream().map(MapSuiteTest::node));
        }
        TestCase one = (TestCase) test;
        return DynamicTest.dynamicTest(
                one.getName(),
                () -> {
                    try {
                        one.runBare();
                        RUN.incrementAndGet();
                    } finally {
                        closeAll();
                    }
                });
    }

    private static void closeAll() {
        OPEN.forEach(OffHeapCache::close);
        OPEN.clear();
    }

    private static final class Generator extends TestStringMapGenerator {
        private final Function<OffHeapCache<String, String>, Map<String, String>> map;

        Generator(Function<OffHeapCache<String, String>, Map<String, String>> map) {
            this.map = map;
        }

        @Override
        protected Map<String, String> create(Map.Entry<String, String>[] entries) {
            OffHeapCache<String, String> cache =
                    OffHeapCache.<String, String>builder()
                            .keyCodec(Codec.strings())
                            .valueCodec(Codec.strings())
                            .maximumBytes(64L << 20)
                            .pool(POOL)
                            .build();
            OPEN.add(cache);
            Map<String, String> created = map.apply(cache);
            for (Map.Entry<String, String> entry : entries) {
                created.put(entry.getKey(), entry.getValue());
            }
            return created;
        }
    }
}
