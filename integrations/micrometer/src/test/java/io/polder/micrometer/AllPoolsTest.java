package io.polder.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.polder.MemoryPool;

import org.junit.jupiter.api.Test;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** The meters of pools that come and go. */
class AllPoolsTest {
    private static final String HERE_AND_THERE = "here and there";

    private final RegistryClock clock = new RegistryClock();
    private final MeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);

    /** Scrapes are as far from one another as this says. */
    private static final class RegistryClock implements Clock {
        private final AtomicLong nanos = new AtomicLong();

        void add(Duration time) {
            nanos.addAndGet(time.toNanos());
        }

        @Override
        public long wallTime() {
            return TimeUnit.NANOSECONDS.toMillis(nanos.get());
        }

        @Override
        public long monotonicTime() {
            return nanos.get();
        }
    }

    private static MemoryPool pool(String name) {
        return MemoryPool.builder().name(name).build();
    }

    private static Set<String> pools(MeterRegistry registry) {
        return registry.find("polder.memory.used").gauges().stream()
                .map(each -> each.getId().getTag("pool"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void readAll(MeterRegistry registry) {
        for (Meter each : registry.getMeters()) {
            each.measure().forEach(measurement -> measurement.getValue());
        }
    }

    /** A scrape, and the time until the next one. */
    private void scrape() {
        readAll(registry);
        clock.add(Duration.ofSeconds(2));
    }

    /** The pools that the registry shows once they have been there for two scrapes. */
    private Set<String> poolsAfterTwoScrapes() {
        scrape();
        scrape();
        return pools(registry);
    }

    @Test
    void bindToAll_poolsOpenAlready_areThereAtOnce() {
        try (MemoryPool _ = pool("before");
                PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            assertThat(pools(registry)).contains("before", "common");
        }
    }

    @Test
    void bindToAll_poolsOpenedAndClosedLater_comeAndGo() {
        try (PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            try (MemoryPool _ = pool("later")) {
                assertThat(poolsAfterTwoScrapes()).contains("later", "common");
                assertThat(registry.get("polder.pools").gauge().value())
                        .isEqualTo(MemoryPool.openPools().size());
            }
            assertThat(poolsAfterTwoScrapes()).contains("common").doesNotContain("later");
        }
    }

    /** Two pools under one name must not share meters: those would go with either of them. */
    @Test
    void bindToAll_poolCalledAsTheSecondOfAName_hasTheNextNumber() {
        try (PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry);
                MemoryPool _ = pool("clash")) {
            try (MemoryPool called = pool("clash #2")) {
                try (MemoryPool _ = pool("clash")) {
                    called.pages().allocate(2 << 20).close();
                    assertThat(poolsAfterTwoScrapes())
                            .contains("clash", "clash #2", "clash #2 #2")
                            .doesNotContain("clash #3");
                    assertThat(registry.get("polder.pools").gauge().value())
                            .isEqualTo(MemoryPool.openPools().size());
                    assertThat(pagesTaken("clash #2")).isZero();
                    assertThat(pagesTaken("clash #2 #2")).isEqualTo(1);
                }
                assertThat(poolsAfterTwoScrapes())
                        .contains("clash", "clash #2 #2")
                        .doesNotContain("clash #2");
                assertThat(pagesTaken("clash #2 #2")).isEqualTo(1);
            }
            try (MemoryPool called = pool("clash #2")) {
                called.pages().allocate(2 << 20).close();
                assertThat(poolsAfterTwoScrapes()).contains("clash", "clash #2");
                try (MemoryPool _ = pool("clash")) {
                    assertThat(poolsAfterTwoScrapes()).contains("clash", "clash #2", "clash #3");
                    assertThat(pagesTaken("clash #2")).isEqualTo(1);
                    assertThat(pagesTaken("clash #3")).isZero();
                }
            }
            assertThat(poolsAfterTwoScrapes())
                    .contains("clash")
                    .doesNotContain("clash #2", "clash #3");
        }
    }

    @Test
    void bindToAll_boundAfterAnotherBinding_showsPoolsByTheSecondScrape() {
        try (PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry);
                PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry);
                MemoryPool _ = pool("after two bindings")) {
            scrape();
            assertThat(pools(registry)).contains("after two bindings");
        }
    }

    /** Anyone who has read the meters of the first pool must not find those of the second one. */
    @Test
    void scrape_twoAtOnce_leaveOutATagThatWent() {
        try (PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            try (MemoryPool _ = pool("replaced")) {
                assertThat(poolsAfterTwoScrapes()).contains("replaced");
            }
            try (MemoryPool _ = pool("replaced")) {
                for (int scraper = 0; scraper < 4; scraper++) {
                    readAll(registry);
                    assertThat(pools(registry)).contains("common").doesNotContain("replaced");
                }
                clock.add(Duration.ofSeconds(2));
                assertThat(poolsAfterTwoScrapes()).contains("replaced");
            }
        }
    }

    /** Somebody may scrape at the time, and has a binding of his own already. */
    @Test
    void bindToAll_boundAlready_leavesOutATagThatWent() {
        try (PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            try (MemoryPool _ = pool("rebound")) {
                assertThat(poolsAfterTwoScrapes()).contains("rebound");
            }
            try (MemoryPool _ = pool("rebound")) {
                readAll(registry);
                PolderMetrics.bindToAll(registry).close();
                assertThat(pools(registry)).contains("common").doesNotContain("rebound");
                clock.add(Duration.ofSeconds(2));
                assertThat(poolsAfterTwoScrapes()).contains("rebound");
            }
        }
    }

    @Test
    void bindToAll_filterFails_leavesNothingBound() {
        AtomicBoolean fails = new AtomicBoolean(true);
        registry.config()
                .meterFilter(
                        MeterFilter.deny(
                                id -> {
                                    if (fails.get() && id.getName().equals("polder.blocks.used")) {
                                        throw new IllegalStateException("a filter that fails");
                                    }
                                    return false;
                                }));
        assertThatIllegalStateException()
                .isThrownBy(() -> PolderMetrics.bindToAll(registry))
                .withMessage("a filter that fails");
        fails.set(false);
        try (PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            assertThat(pools(registry)).contains("common");
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    @SuppressWarnings("NullAway") // that is what is tested
    void bindToAll_null_isRefused() {
        assertThatNullPointerException()
                .isThrownBy(() -> PolderMetrics.bindToAll(null))
                .withMessage("registry");
    }

    private double pagesTaken(String pool) {
        return registry.get("polder.pages.taken").tag("pool", pool).functionCounter().count();
    }

    @Test
    void close_binding_takesAllMetersAway() {
        try (MemoryPool _ = pool("unbound")) {
            PolderMetrics.Binding binding = PolderMetrics.bindToAll(registry);
            assertThat(registry.getMeters()).isNotEmpty();
            binding.close();
            assertThat(registry.getMeters()).isEmpty();
            binding.close();
            try (PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
                assertThat(pools(registry)).contains("unbound");
            }
        }
    }

    @Test
    void close_oneOfTwoBindings_leavesTheMeters() {
        PolderMetrics.Binding first = PolderMetrics.bindToAll(registry);
        int meters = registry.getMeters().size();
        PolderMetrics.Binding second = PolderMetrics.bindToAll(registry);
        assertThat(registry.getMeters()).hasSize(meters);
        first.close();
        first.close();
        assertThat(registry.getMeters()).hasSize(meters);
        second.close();
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void close_bindingBesideABoundPool_leavesThatPool() {
        try (MemoryPool pool = pool("by itself");
                MemoryPool _ = pool("by all")) {
            new PolderMetrics(pool).bindTo(registry);
            assertThat(pools(registry)).containsExactly("by itself");
            try (PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
                assertThat(pools(registry)).contains("by all", "by itself");
            }
            assertThat(pools(registry)).containsExactly("by itself");
            assertThat(registry.find("polder.pools").meter()).isNull();
        }
    }

    @Test
    void bindToAll_poolIsForgotten_isNotKept() throws InterruptedException {
        try (PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            List<MemoryPool> kept = new ArrayList<>();
            kept.add(pool("forgotten"));
            assertThat(poolsAfterTwoScrapes()).contains("forgotten");
            WeakReference<MemoryPool> forgotten = new WeakReference<>(kept.removeFirst());
            Await.unreachable(forgotten);
            assertThat(poolsAfterTwoScrapes()).doesNotContain("forgotten");
        }
    }

    @Test
    void bindToAll_registryIsForgotten_isNotKept() throws InterruptedException {
        Await.unreachable(forgottenRegistry());
    }

    /** In a method of its own, whose frame goes with what it refers to. */
    private static WeakReference<MeterRegistry> forgottenRegistry() {
        MeterRegistry forgotten = new SimpleMeterRegistry();
        PolderMetrics.Binding _ = PolderMetrics.bindToAll(forgotten);
        readAll(forgotten);
        assertThat(pools(forgotten)).contains("common");
        return new WeakReference<>(forgotten);
    }

    /** A collection between two scrapes must not take what counters are about. */
    @Test
    void bindToAll_collected_stillCounts() {
        try (MemoryPool pool = pool("collected");
                PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            System.gc();
            pool.pages().allocate(2 << 20).close();
            readAll(registry);
            assertThat(
                            registry.get("polder.pages.taken")
                                    .tag("pool", "collected")
                                    .functionCounter())
                    .satisfies(counter -> assertThat(counter.count()).isEqualTo(1));
        }
    }

    @Test
    void bindToAll_metersAreDenied_hasNone() {
        registry.config().meterFilter(MeterFilter.denyNameStartsWith("polder"));
        try (PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    /** Listeners that read what they are told of, in the middle of it. */
    @Test
    void bindToAll_listenerReadsMeters_getsTheirFigures() {
        List<String> heard = new ArrayList<>();
        registry.config()
                .onMeterAdded(
                        meter -> {
                            readAll(registry);
                            heard.add(meter.getId().getName());
                        });
        try (MemoryPool _ = pool("listened to");
                PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            assertThat(heard).contains("polder.memory.used", "polder.pools");
            assertThat(pools(registry)).contains("listened to");
        }
    }

    /** Pools are opened, closed and scraped at once. */
    @Test
    void scrape_whilePoolsComeAndGo_isRight() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger seen = new AtomicInteger();
        try (ExecutorService threads = Executors.newFixedThreadPool(2);
                PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            try {
                Runnable scraping =
                        () -> {
                            while (!over.get()) {
                                scrape();
                                if (pools(registry).contains(HERE_AND_THERE)) {
                                    seen.incrementAndGet();
                                }
                            }
                        };
                List<Future<?>> scrapes =
                        List.of(threads.submit(scraping), threads.submit(scraping));
                openAndClose(200, seen);
                over.set(true);
                for (Future<?> each : scrapes) {
                    each.get(300, TimeUnit.SECONDS);
                }
            } finally {
                over.set(true);
            }
            try (MemoryPool _ = pool(HERE_AND_THERE)) {
                assertThat(poolsAfterTwoScrapes()).contains(HERE_AND_THERE, "common");
            }
            assertThat(poolsAfterTwoScrapes()).doesNotContain(HERE_AND_THERE);
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    /** Most are closed before anybody sees them, some are open until they were seen. */
    private static void openAndClose(int pools, AtomicInteger seen) {
        for (int i = 0; i < pools; i++) {
            try (MemoryPool pool = pool(HERE_AND_THERE)) {
                pool.pages().allocate(2 << 20).close();
                int before = seen.get();
                long start = System.nanoTime();
                while (i % 20 == 0 && seen.get() == before) {
                    assertThat(System.nanoTime() - start).isLessThan(TimeUnit.MINUTES.toNanos(3));
                    Thread.onSpinWait();
                }
            }
        }
    }
}
