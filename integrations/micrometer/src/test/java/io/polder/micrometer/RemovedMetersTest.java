package io.polder.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.polder.MemoryPool;
import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** Meters that others took away: the program, or a pool that had the same ones. */
class RemovedMetersTest {
    private final MeterRegistry registry = new SimpleMeterRegistry();

    private static MemoryPool pool(String name) {
        return MemoryPool.builder().name(name).build();
    }

    private static Set<Meter.Id> ids(MeterRegistry registry) {
        return registry.getMeters().stream().map(Meter::getId).collect(Collectors.toSet());
    }

    private static void readAll(MeterRegistry registry) {
        for (Meter each : registry.getMeters()) {
            each.measure().forEach(measurement -> measurement.getValue());
        }
    }

    private double pagesUsed() {
        return registry.get("polder.pages.used").gauge().value();
    }

    private double pagesTaken() {
        return registry.get("polder.pages.taken").functionCounter().count();
    }

    @Test
    void bindTo_afterClear_hasThemAllAgain() {
        try (BusyPool busy = new BusyPool("cleared")) {
            new PolderMetrics(busy.pool).bindTo(registry);
            Set<Meter.Id> before = ids(registry);
            assertThat(before).hasSizeGreaterThan(30);
            for (int i = 0; i < 3; i++) {
                registry.clear();
                assertThat(ids(registry)).isEmpty();
                new PolderMetrics(busy.pool).bindTo(registry);
                assertThat(ids(registry)).isEqualTo(before);
                assertThat(pagesUsed()).isEqualTo(busy.pool.stats().pages().takenPages());
            }
        }
        readAll(registry);
        assertThat(ids(registry)).isEmpty();
    }

    @Test
    void bindToAll_afterClear_hasThemAllAgain() {
        try (BusyPool _ = new BusyPool("all cleared");
                PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            Set<Meter.Id> before = ids(registry);
            registry.clear();
            try (PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
                assertThat(ids(registry)).isEqualTo(before);
                assertThat(registry.get("polder.pools").gauge().value())
                        .isEqualTo(MemoryPool.openPools().size());
            }
            assertThat(ids(registry)).isEqualTo(before);
        }
        assertThat(ids(registry)).isEmpty();
    }

    @Test
    void bindTo_afterClearOfAComposite_eachOfItsRegistriesHasThemAgain() {
        CompositeMeterRegistry composite = new CompositeMeterRegistry();
        composite.add(registry);
        try (BusyPool busy = new BusyPool("composite cleared")) {
            new PolderMetrics(busy.pool).bindTo(composite);
            Set<Meter.Id> before = ids(registry);
            composite.clear();
            assertThat(ids(registry)).isEmpty();
            new PolderMetrics(busy.pool).bindTo(composite);
            assertThat(ids(registry)).isEqualTo(before);
        }
    }

    @Test
    void read_meterThatIsLeft_bringsBackThoseThatWereRemoved() {
        try (BusyPool _ = new BusyPool("removed");
                PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry)) {
            Set<Meter.Id> before = ids(registry);
            for (Meter each : registry.getMeters()) {
                if (!each.getId().getName().equals("polder.pages.used")) {
                    registry.remove(each);
                }
            }
            assertThat(ids(registry)).hasSizeLessThan(before.size()).isNotEmpty();
            readAll(registry);
            assertThat(ids(registry)).isEqualTo(before);
        }
    }

    /** A walk that finds nothing missing registers nothing. */
    @Test
    void read_nothingWasRemoved_leavesTheMeters() {
        registry.config().meterFilter(MeterFilter.denyNameStartsWith("polder.memory"));
        AtomicInteger asked = new AtomicInteger();
        registry.config()
                .meterFilter(
                        MeterFilter.deny(
                                id -> {
                                    asked.incrementAndGet();
                                    return id.getName().startsWith("polder.arena");
                                }));
        try (BusyPool busy = new BusyPool("left alone")) {
            new PolderMetrics(busy.pool).bindTo(registry);
            List<Meter> before = registry.getMeters();
            int askedBefore = asked.get();
            readAll(registry);
            readAll(registry);
            new PolderMetrics(busy.pool).bindTo(registry);
            List<Meter> after = registry.getMeters();
            assertThat(after).hasSameSizeAs(before).isNotEmpty();
            for (Meter each : before) {
                assertThat(after).anyMatch(other -> other == each);
            }
            assertThat(asked.get()).isEqualTo(askedBefore);
        }
    }

    /** Whichever of two pools is closed, the other one has the meters they shared. */
    @Test
    void close_poolWhoseMetersAnotherHas_leavesThemToIt() {
        registry.config().meterFilter(MeterFilter.ignoreTags("pool"));
        List<MemoryPool> open = new ArrayList<>(List.of(pool("shares 1"), pool("shares 2")));
        try {
            open.forEach(each -> new PolderMetrics(each).bindTo(registry));
            Set<Meter.Id> before = ids(registry);
            assertThat(before).isNotEmpty();
            for (int closed = 0; closed < 2; closed++) {
                open.remove(1 - closed).close();
                MemoryPool left = open.getFirst();
                left.pages().allocate(2 << 20).close();
                readAll(registry);
                assertThat(ids(registry)).isEqualTo(before);
                assertThat(pagesTaken()).isEqualTo((double) takenFrom(left));
                MemoryPool next = pool("shares " + (3 + closed));
                open.add(next);
                new PolderMetrics(next).bindTo(registry);
                assertThat(ids(registry)).isEqualTo(before);
            }
        } finally {
            open.forEach(MemoryPool::close);
        }
        readAll(registry);
        assertThat(ids(registry)).isEmpty();
    }

    private static long takenFrom(MemoryPool pool) {
        return pool.stats().pages().mix().stream().mapToLong(each -> each.count()).sum();
    }

    /** One scrape of Prometheus must not find a meter twice, which makes it fail. */
    @Test
    void close_poolsWhileOthersHaveTheirMeters_neverFailsAScrape() {
        PrometheusMeterRegistry prometheus = Scrape.registry();
        prometheus.config().meterFilter(MeterFilter.ignoreTags("pool"));
        MemoryPool open = pool("scraped 0");
        try {
            new PolderMetrics(open).bindTo(prometheus);
            List<String> names = Scrape.of(prometheus).names();
            for (int i = 1; i <= 30; i++) {
                MemoryPool next = pool("scraped " + i);
                new PolderMetrics(next).bindTo(prometheus);
                open.close();
                open = next;
                Scrape.of(prometheus);
                Page page = next.pages().allocate(2 << 20);
                Scrape scrape = Scrape.of(prometheus);
                page.close();
                assertThat(scrape.names()).isEqualTo(names);
                assertThat(scrape.value("polder_pages_used")).isEqualTo(1);
                assertThat(scrape.value("polder_pages_taken_total"))
                        .isEqualTo((double) takenFrom(next));
            }
        } finally {
            open.close();
        }
        Scrape.of(prometheus);
        assertThat(prometheus.scrape()).isEmpty();
    }

    /** One that was opened has the meters of the last one, which was closed, in the same look. */
    @Test
    void close_heapsWhileOthersHaveTheirMeters_neverFailsAScrape() {
        PrometheusMeterRegistry prometheus = Scrape.registry();
        prometheus.config().meterFilter(MeterFilter.ignoreTags("heap"));
        try (MemoryPool pool = pool("heap by heap")) {
            RelocatingHeap open = pool.openHeap();
            new PolderMetrics(pool).bindTo(prometheus);
            List<String> names = Scrape.of(prometheus).names();
            for (int i = 1; i <= 30; i++) {
                open.close();
                open = pool.openHeap();
                long _ = open.allocate(92);
                Scrape.of(prometheus);
                Scrape scrape = Scrape.of(prometheus);
                assertThat(scrape.names()).isEqualTo(names).contains("polder_heap_objects");
                assertThat(scrape.value("polder_heap_objects{pool=\"heap by heap\"}")).isEqualTo(1);
            }
            open.close();
        }
    }

    /** The same of pools: only one has a heap, and the common one is always there. */
    @Test
    void close_poolWithTheOnlyHeap_neverFailsAScrape() {
        PrometheusMeterRegistry prometheus = Scrape.registry();
        prometheus.config().meterFilter(MeterFilter.ignoreTags("pool"));
        try (PolderMetrics.Binding _ = PolderMetrics.bindToAll(prometheus)) {
            for (int i = 1; i <= 30; i++) {
                try (MemoryPool pool = pool("only heap " + i);
                        RelocatingHeap heap = pool.openHeap()) {
                    long _ = heap.allocate(92);
                    Scrape.of(prometheus);
                    assertThat(Scrape.of(prometheus).value("polder_heap_objects{heap=\"1\"}"))
                            .isEqualTo(1);
                }
            }
        }
    }

    @Test
    void close_heapWhoseMetersAnotherHas_leavesThemToIt() {
        registry.config().meterFilter(MeterFilter.ignoreTags("heap"));
        try (MemoryPool pool = pool("shares heaps");
                RelocatingHeap first = pool.openHeap()) {
            try (RelocatingHeap second = pool.openHeap()) {
                new PolderMetrics(pool).bindTo(registry);
                long _ = first.allocate(92);
                long _ = second.allocate(92);
            }
            readAll(registry);
            readAll(registry);
            assertThat(registry.get("polder.heap.objects").gauge().value()).isEqualTo(1);
        }
    }
}
