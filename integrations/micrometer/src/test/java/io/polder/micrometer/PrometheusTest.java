package io.polder.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.polder.MemoryPool;
import io.polder.heap.RelocatingHeap;
import io.polder.page.PageStatistics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The meters as Prometheus scrapes them, and the dashboard that shows them. */
class PrometheusTest {
    private static final String DASHBOARD = "/io/polder/micrometer/grafana-dashboard.json";

    private final PrometheusMeterRegistry registry = Scrape.registry();

    /** The names are what people build on: they stay. */
    @Test
    void scrape_aPoolWithAllThereIs_hasTheseNames() {
        try (BusyPool busy = new BusyPool("busy")) {
            new PolderMetrics(busy.pool).bindTo(registry);
            assertThat(Scrape.of(registry).names())
                    .containsExactly(
                            "polder_arena_deferred_bytes",
                            "polder_arena_threads",
                            "polder_blocks_memory_committed_bytes",
                            "polder_blocks_memory_used_bytes",
                            "polder_blocks_used",
                            "polder_heap_compaction_seconds_count",
                            "polder_heap_compaction_seconds_sum",
                            "polder_heap_given_back_bytes_total",
                            "polder_heap_live_bytes",
                            "polder_heap_moved_bytes_total",
                            "polder_heap_objects",
                            "polder_heap_used_bytes",
                            "polder_heap_wait_longest_seconds",
                            "polder_leaks_memory_bytes",
                            "polder_leaks_total",
                            "polder_leaks_watched",
                            "polder_memory_allocated_bytes_total",
                            "polder_memory_committed_bytes",
                            "polder_memory_given_back_bytes_total",
                            "polder_memory_limit_bytes",
                            "polder_memory_refusals_total",
                            "polder_memory_reserved_bytes",
                            "polder_memory_used_bytes",
                            "polder_page_take_slow_longest_seconds",
                            "polder_page_take_slow_seconds_count",
                            "polder_page_take_slow_seconds_sum",
                            "polder_pages_assembled_total",
                            "polder_pages_moved_bytes_total",
                            "polder_pages_taken_total",
                            "polder_pages_used",
                            "polder_pages_waiting");
        }
    }

    @Test
    void scrape_aPool_hasItsFigures() {
        try (BusyPool busy = new BusyPool("a \"strange\" name")) {
            new PolderMetrics(busy.pool).bindTo(registry);
            String pool = "pool=\"a \\\"strange\\\" name\"";
            Scrape scrape = Scrape.of(registry);
            assertThat(scrape.value("polder_memory_limit_bytes{kind=\"committed\"," + pool + "}"))
                    .isEqualTo(BusyPool.COMMITTED_MAX);
            assertThat(scrape.value("polder_heap_objects{heap=\"1\"," + pool + "}")).isEqualTo(1);
            double used = scrape.value("polder_memory_used_bytes{kind=\"pages\"," + pool + "}");
            double committed =
                    scrape.value("polder_memory_committed_bytes{kind=\"pages\"," + pool + "}");
            double reserved =
                    scrape.value("polder_memory_reserved_bytes{kind=\"pages\"," + pool + "}");
            assertThat(used).isBetween((double) (4 << 20), committed);
            assertThat(committed).isLessThanOrEqualTo(reserved);
            PageStatistics slow = busy.pool.stats().pages();
            assertThat(scrape.value("polder_page_take_slow_seconds_count{" + pool + "}"))
                    .isEqualTo((double) slow.slowTakes())
                    .isPositive();
            assertThat(scrape.value("polder_page_take_slow_seconds_sum{" + pool + "}"))
                    .isCloseTo(slow.slowTakeNanos() / 1e9, within(1e-12))
                    .isPositive();
            assertThat(scrape.value("polder_page_take_slow_longest_seconds{" + pool + "}"))
                    .isCloseTo(slow.longestTakeNanos() / 1e9, within(1e-12))
                    .isPositive();
        }
    }

    @Test
    void scrape_poolsComeAndGo_showsThemByTheSecondOne() {
        try (PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            String figure = "polder_pages_used{pool=\"comes and goes\"}";
            assertThat(Scrape.of(registry).samples()).doesNotContainKey(figure);
            try (MemoryPool pool = MemoryPool.builder().name("comes and goes").build()) {
                pool.pages().allocate(2 << 20);
                Scrape.of(registry);
                assertThat(Scrape.of(registry).value(figure)).isEqualTo(1);
            }
            Scrape.of(registry);
            assertThat(Scrape.of(registry).samples()).doesNotContainKey(figure);
        }
        assertThat(registry.scrape()).isEmpty();
    }

    /** Its heaps are the only ones, so their figures go with it and come again. */
    @Test
    void scrape_poolIsReplacedByOneOfItsName_neverFails() {
        String figure = "polder_heap_objects{heap=\"1\",pool=\"replaced\"}";
        MockClock clock = new MockClock();
        PrometheusMeterRegistry slow =
                new PrometheusMeterRegistry(
                        PrometheusConfig.DEFAULT, new PrometheusRegistry(), clock);
        try (PolderMetrics.Binding _ = PolderMetrics.bindToAll(slow)) {
            for (int i = 0; i < 50; i++) {
                try (MemoryPool pool = MemoryPool.builder().name("replaced").build();
                        RelocatingHeap heap = pool.openHeap()) {
                    long _ = heap.allocate(100);
                    Scrape.of(slow);
                    clock.add(Duration.ofSeconds(2));
                    Scrape.of(slow);
                    clock.add(Duration.ofSeconds(2));
                    assertThat(Scrape.of(slow).value(figure)).isEqualTo(1);
                    clock.add(Duration.ofSeconds(2));
                }
            }
        }
    }

    /** Two scrapers of each of two registries, one of which has all pools bound twice. */
    @Test
    void scrape_byTwoAtOnceWhilePoolsComeAndGo_neverFails() throws Exception {
        PrometheusMeterRegistry other = Scrape.registry();
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger scrapes = new AtomicInteger();
        try (ExecutorService threads = Executors.newFixedThreadPool(4);
                PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry);
                PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry);
                PolderMetrics.Binding _ = PolderMetrics.bindToAll(other)) {
            try {
                List<Future<?>> scraping = new ArrayList<>();
                for (PrometheusMeterRegistry each : List.of(registry, registry, other, other)) {
                    Callable<?> scraper =
                            () -> {
                                do { // it may have its first turn at the end
                                    scrapeInTime(each);
                                    scrapes.incrementAndGet();
                                } while (!over.get());
                                return null;
                            };
                    scraping.add(threads.submit(scraper));
                }
                for (int i = 0; i < 80; i++) {
                    replaceAPool(i);
                }
                over.set(true);
                for (Future<?> each : scraping) {
                    each.get(300, TimeUnit.SECONDS);
                }
            } finally {
                over.set(true);
            }
        }
        assertThat(scrapes.get()).isGreaterThanOrEqualTo(4);
        assertThat(registry.scrape()).isEmpty();
        assertThat(other.scrape()).isEmpty();
    }

    /** One that takes longer than a tag is left out may find pools twice: it is refused then. */
    private static void scrapeInTime(PrometheusMeterRegistry registry) {
        long begin = System.nanoTime();
        try {
            assertThat(Scrape.of(registry).names()).contains("polder_memory_used_bytes");
        } catch (IllegalArgumentException twice) {
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as(twice.getMessage())
                    .isGreaterThan(Duration.ofSeconds(1));
        }
    }

    /** One of a name that there was before, with the only heap, and one of a new name. */
    private static void replaceAPool(int number) {
        try (MemoryPool pool = MemoryPool.builder().name("comes again").build();
                RelocatingHeap heap = pool.openHeap();
                MemoryPool _ = MemoryPool.builder().name("once " + number).build()) {
            long _ = heap.allocate(100);
        }
    }

    /** A dashboard that asks for a figure nobody has shows an empty panel. */
    @Test
    void dashboard_eachNameInIt_isScraped() throws IOException {
        try (BusyPool busy = new BusyPool("shown");
                PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            Set<String> scraped = new TreeSet<>(Scrape.of(registry).names());
            Set<String> asked = new TreeSet<>();
            JsonNode dashboard = dashboard();
            for (JsonNode panel : dashboard.get("panels")) {
                for (JsonNode target : panel.path("targets")) {
                    collectNames(target.get("expr").asString(), asked);
                }
            }
            for (JsonNode variable : dashboard.get("templating").get("list")) {
                collectNames(variable.path("definition").asString(""), asked);
            }
            assertThat(asked).hasSizeGreaterThan(15);
            assertThat(scraped).containsAll(asked);
            assertThat(busy.pool.name()).isEqualTo("shown");
        }
    }

    @Test
    void dashboard_panels_haveTitlesPlacesAndUnits() throws IOException {
        JsonNode dashboard = dashboard();
        assertThat(dashboard.get("title").asString()).isEqualTo("Polder");
        Set<Integer> ids = new TreeSet<>();
        for (JsonNode panel : dashboard.get("panels")) {
            assertThat(ids.add(panel.get("id").asInt())).isTrue();
            assertThat(panel.get("title").asString()).isNotBlank();
            JsonNode place = panel.get("gridPos");
            assertThat(place.get("x").asInt() + place.get("w").asInt()).isBetween(1, 24);
            assertThat(panel.get("fieldConfig").get("defaults").get("unit").asString())
                    .isIn("bytes", "Bps", "short", "ops", "s", "percentunit");
        }
        assertThat(ids).hasSizeGreaterThan(8);
    }

    private static void collectNames(String query, Set<String> names) {
        Matcher name = Pattern.compile("\\bpolder_\\w+").matcher(query);
        while (name.find()) {
            names.add(name.group());
        }
    }

    private static JsonNode dashboard() throws IOException {
        try (InputStream json = PrometheusTest.class.getResourceAsStream(DASHBOARD)) {
            byte[] bytes = Objects.requireNonNull(json, DASHBOARD).readAllBytes();
            return JsonMapper.shared().readTree(new String(bytes, StandardCharsets.UTF_8));
        }
    }

    /** The tests run with two versions; this is the one that the build says. */
    @Test
    void micrometer_always_isTheOneThatIsMeant() throws URISyntaxException {
        String expected = System.getProperty("micrometer.expected");
        for (Class<?> one : new Class<?>[] {MeterRegistry.class, PrometheusMeterRegistry.class}) {
            String jar =
                    new File(one.getProtectionDomain().getCodeSource().getLocation().toURI())
                            .getName();
            assertThat(jar).endsWith("-" + expected + ".jar");
        }
    }
}
