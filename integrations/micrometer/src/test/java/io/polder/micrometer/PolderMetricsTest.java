package io.polder.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.polder.MemoryPool;
import io.polder.PoolStatistics;
import io.polder.heap.RelocatingHeap;
import io.polder.page.Page;
import io.polder.page.PageStatistics;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** The meters of one pool. */
class PolderMetricsTest {
    /** No look is used for so long. */
    private static final Duration LATER = Duration.ofSeconds(2);

    private final MockClock clock = new MockClock();
    private final MeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);

    private static MemoryPool pool(String name) {
        return MemoryPool.builder().name(name).build();
    }

    /** Polder's meters of pools of a name, or of all. */
    private static List<Meter> meters(MeterRegistry registry, String pool) {
        return registry.getMeters().stream()
                .filter(each -> each.getId().getName().startsWith("polder."))
                .filter(each -> pool.equals(each.getId().getTag("pool")))
                .toList();
    }

    /** A figure, which is a whole number. */
    private long value(String name, String... tags) {
        Meter meter = registry.get(name).tags(tags).meter();
        return (long) meter.measure().iterator().next().getValue();
    }

    /** As a program that scrapes does. */
    private static void readAll(MeterRegistry registry) {
        for (Meter each : registry.getMeters()) {
            each.measure().forEach(measurement -> measurement.getValue());
        }
    }

    @Test
    void bindTo_aPoolWithAllThereIs_hasItsFigures() {
        try (BusyPool busy = new BusyPool("busy")) {
            new PolderMetrics(busy.pool).bindTo(registry);
            PoolStatistics now = busy.pool.stats();
            long pages = now.pages().takenBytes();
            assertThat(pages).isGreaterThanOrEqualTo(4 << 20);
            assertThat(now.usedBytes() - pages).isGreaterThanOrEqualTo(100_000);
            assertThat(value("polder.memory.used", "kind", "pages")).isEqualTo(pages);
            assertThat(value("polder.memory.used", "kind", "chunks"))
                    .isEqualTo(now.usedBytes() - pages);
            assertThat(value("polder.memory.committed", "kind", "pages"))
                    .isEqualTo(now.pages().committedBytes());
            assertThat(value("polder.memory.committed", "kind", "chunks"))
                    .isEqualTo(now.committedBytes() - now.pages().committedBytes())
                    .isGreaterThanOrEqualTo(100_000);
            assertThat(
                            value("polder.memory.reserved", "kind", "pages")
                                    + value("polder.memory.reserved", "kind", "chunks"))
                    .isEqualTo(now.reservedBytes());
            assertThat(value("polder.memory.limit", "kind", "committed"))
                    .isEqualTo(BusyPool.COMMITTED_MAX);
            assertThat(value("polder.memory.limit", "kind", "reserved"))
                    .isEqualTo(BusyPool.RESERVED_MAX);
            assertThat(
                            value("polder.memory.allocated", "kind", "pages")
                                    + value("polder.memory.allocated", "kind", "chunks"))
                    .isEqualTo(now.committedTotalBytes())
                    .isPositive();
            assertThat(value("polder.pages.used")).isEqualTo(now.pages().takenPages());
            assertThat(value("polder.pages.taken")).isGreaterThanOrEqualTo(2); // the heap's as well
            assertThat(value("polder.blocks.used")).isEqualTo(1);
            assertThat(value("polder.blocks.memory.used")).isGreaterThanOrEqualTo(200);
            assertThat(value("polder.blocks.memory.committed")).isGreaterThanOrEqualTo(200);
            assertThat(value("polder.heap.objects", "heap", "1")).isEqualTo(1);
            assertThat(value("polder.heap.live", "heap", "1")).isEqualTo(1008);
            assertThat(value("polder.heap.used", "heap", "1"))
                    .isEqualTo(
                            now.heaps().getFirst().regionBytes()
                                    + now.heaps().getFirst().tableBytes());
            assertThat(value("polder.leaks.watched")).isEqualTo(now.leaks().watched()).isPositive();
            assertThat(value("polder.leaks")).isZero();
        }
    }

    @Test
    void bindTo_pagesThatWereNotAtHand_areTimed() {
        try (MemoryPool pool = pool("slow takes")) {
            new PolderMetrics(pool).bindTo(registry);
            FunctionTimer slow = registry.get("polder.page.take.slow").functionTimer();
            assertThat(slow.count()).isZero();
            Page page = pool.pages().allocate(4 << 20);
            page.close(); // its memory stays, and is at hand if it is untouched
            clock.add(LATER);
            PageStatistics now = pool.stats().pages();
            assertThat(now.slowTakes()).isPositive();
            assertThat(slow.count()).isEqualTo((double) now.slowTakes());
            assertThat(slow.totalTime(TimeUnit.NANOSECONDS))
                    .isCloseTo((double) now.slowTakeNanos(), within(1e-3));
            TimeGauge longest = registry.get("polder.page.take.slow.longest").timeGauge();
            assertThat(longest.value(TimeUnit.NANOSECONDS))
                    .isCloseTo((double) now.longestTakeNanos(), within(1e-3));
        }
    }

    @Test
    void bindTo_memoryGivenBack_isCounted() {
        try (MemoryPool pool =
                MemoryPool.builder().name("back").decay(Duration.ofDays(1)).build()) {
            new PolderMetrics(pool).bindTo(registry);
            try (Arena arena = pool.openConfined()) {
                arena.allocate(1 << 20);
            }
            long bytes = pool.trim();
            assertThat(bytes).isGreaterThanOrEqualTo(1 << 20);
            clock.add(LATER);
            assertThat(value("polder.memory.given.back", "kind", "chunks")).isEqualTo(bytes);
            assertThat(value("polder.memory.given.back", "kind", "pages")).isZero();
            assertThat(value("polder.memory.committed", "kind", "chunks")).isZero();
        }
    }

    /** 0 would be a limit, and no leaks. */
    @Test
    void bindTo_noLimitAndNoLeakDetection_hasNoMetersOfThose() {
        try (MemoryPool pool = pool("plain")) {
            new PolderMetrics(pool).bindTo(registry);
            assertThat(registry.find("polder.memory.used").meter()).isNotNull();
            assertThat(registry.find("polder.memory.limit").meter()).isNull();
            assertThat(registry.find("polder.leaks").meter()).isNull();
            assertThat(registry.find("polder.leaks.watched").meter()).isNull();
        }
    }

    @Test
    void bytes_always_sayTheirUnit() {
        try (BusyPool busy = new BusyPool("units")) {
            new PolderMetrics(busy.pool).bindTo(registry);
            assertThat(meters(registry, "units"))
                    .hasSizeGreaterThan(30)
                    .allSatisfy(each -> assertThat(each.getId().getDescription()).isNotEmpty());
            Set<String> inBytes =
                    meters(registry, "units").stream()
                            .filter(each -> "bytes".equals(each.getId().getBaseUnit()))
                            .map(each -> each.getId().getName())
                            .collect(Collectors.toCollection(TreeSet::new));
            assertThat(inBytes)
                    .containsExactly(
                            "polder.arena.deferred",
                            "polder.blocks.memory.committed",
                            "polder.blocks.memory.used",
                            "polder.heap.given.back",
                            "polder.heap.live",
                            "polder.heap.moved",
                            "polder.heap.used",
                            "polder.leaks.memory",
                            "polder.memory.allocated",
                            "polder.memory.committed",
                            "polder.memory.given.back",
                            "polder.memory.limit",
                            "polder.memory.reserved",
                            "polder.memory.used",
                            "polder.pages.moved");
        }
    }

    @Test
    void read_allMeters_isOneLookEachTime() {
        try (BusyPool busy = new BusyPool("looked at")) {
            new PolderMetrics(busy.pool).bindTo(registry);
            long first = RegistryMeters.of(registry).lookNumber();
            readAll(registry);
            assertThat(RegistryMeters.of(registry).lookNumber()).isEqualTo(first + 1);
            readAll(registry);
            assertThat(RegistryMeters.of(registry).lookNumber()).isEqualTo(first + 2);
        }
    }

    @Test
    void read_forTheFirstTime_isNew() {
        try (MemoryPool pool = pool("first time");
                Arena arena = pool.openConfined()) {
            new PolderMetrics(pool).bindTo(registry);
            arena.allocate(6 << 20);
            assertThat(value("polder.memory.used", "kind", "pages")).isEqualTo(6 << 20);
        }
    }

    @Test
    void read_twice_isNewTheSecondTime() {
        try (MemoryPool pool = pool("twice");
                Arena arena = pool.openConfined()) {
            new PolderMetrics(pool).bindTo(registry);
            long before = value("polder.memory.used", "kind", "pages");
            arena.allocate(6 << 20);
            assertThat(value("polder.memory.used", "kind", "pages")).isEqualTo(before + (6 << 20));
        }
    }

    @Test
    void read_oneMeterLongAfterTheOthers_isNew() {
        try (MemoryPool pool = pool("long after");
                Arena arena = pool.openConfined()) {
            new PolderMetrics(pool).bindTo(registry);
            assertThat(value("polder.memory.used", "kind", "pages")).isZero();
            arena.allocate(6 << 20);
            assertThat(value("polder.pages.used")).isZero(); // as if it were the same scrape
            clock.add(LATER);
            assertThat(value("polder.pages.taken")).isEqualTo(1);
        }
    }

    @Test
    void close_pool_takesItsMetersAway() {
        MemoryPool pool = pool("closed");
        new PolderMetrics(pool).bindTo(registry);
        Gauge used = registry.get("polder.memory.used").tag("kind", "chunks").gauge();
        try (Arena arena = pool.openShared()) {
            arena.allocate(100_000);
            readAll(registry);
            readAll(registry);
            long allocated = value("polder.memory.allocated", "kind", "chunks");
            assertThat(allocated).isGreaterThanOrEqualTo(100_000);
            Meter counter = registry.get("polder.memory.allocated").tag("kind", "chunks").meter();
            pool.close();
            clock.add(LATER);
            assertThat(used.value()).isNaN();
            assertThat(meters(registry, "closed")).isEmpty();
            assertThat(counter.measure().iterator().next().getValue())
                    .isEqualTo((double) allocated);
        }
    }

    @Test
    void bindTo_closedPool_hasNoMeters() {
        MemoryPool pool = pool("closed before");
        PolderMetrics metrics = new PolderMetrics(pool);
        pool.close();
        metrics.bindTo(registry);
        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    @SuppressWarnings("NullAway") // that is what is tested
    void bindTo_null_isRefused() {
        assertThatNullPointerException().isThrownBy(() -> new PolderMetrics(null));
    }

    @Test
    void bindTo_sameRegistryTwice_changesNothing() {
        try (MemoryPool pool = pool("bound twice")) {
            PolderMetrics metrics = new PolderMetrics(pool);
            metrics.bindTo(registry);
            List<Meter> before = meters(registry, "bound twice");
            metrics.bindTo(registry);
            new PolderMetrics(pool).bindTo(registry);
            assertThat(meters(registry, "bound twice")).containsExactlyInAnyOrderElementsOf(before);
        }
    }

    @Test
    void bindTo_twoRegistries_eachHasThemAll() {
        MeterRegistry other = new SimpleMeterRegistry();
        MemoryPool pool = pool("in two");
        new PolderMetrics(pool).bindTo(registry);
        new PolderMetrics(pool).bindTo(other);
        assertThat(meters(registry, "in two")).hasSameSizeAs(meters(other, "in two")).isNotEmpty();
        pool.close();
        readAll(registry);
        readAll(registry);
        assertThat(meters(registry, "in two")).isEmpty();
        assertThat(meters(other, "in two")).isNotEmpty(); // nobody has looked there
        readAll(other);
        readAll(other);
        assertThat(meters(other, "in two")).isEmpty();
    }

    /** As in Spring Boot with two monitoring systems. */
    @Test
    void bindTo_compositeRegistry_eachOfItsRegistriesHasThemAll() {
        CompositeMeterRegistry composite = new CompositeMeterRegistry(Clock.SYSTEM);
        MeterRegistry first = new SimpleMeterRegistry();
        MeterRegistry second = new SimpleMeterRegistry();
        composite.add(first);
        composite.add(second);
        try (MemoryPool pool = pool("composite")) {
            new PolderMetrics(pool).bindTo(composite);
            for (MeterRegistry each : List.of(first, second)) {
                assertThat(meters(each, "composite")).isNotEmpty();
                assertThat(each.get("polder.memory.used").tag("kind", "pages").gauge().value())
                        .isZero();
            }
        }
        readAll(second);
        readAll(second);
        assertThat(meters(first, "composite")).isEmpty();
        assertThat(meters(second, "composite")).isEmpty();
    }

    @Test
    void bindTo_poolsOfOneName_haveNumbers() {
        try (MemoryPool first = pool("twin");
                MemoryPool second = pool("twin");
                Arena arena = second.openConfined()) {
            arena.allocate(6 << 20);
            new PolderMetrics(first).bindTo(registry);
            new PolderMetrics(second).bindTo(registry);
            assertThat(value("polder.memory.used", "kind", "pages", "pool", "twin")).isZero();
            assertThat(value("polder.memory.used", "kind", "pages", "pool", "twin #2"))
                    .isEqualTo(6 << 20);
        }
    }

    @Test
    void heaps_openedAndClosed_comeAndGo() {
        try (MemoryPool pool = pool("heaps")) {
            new PolderMetrics(pool).bindTo(registry);
            assertThat(registry.find("polder.heap.live").meters()).isEmpty();
            RelocatingHeap first = pool.openHeap();
            try (first;
                    RelocatingHeap second = pool.openHeap()) {
                long _ = second.allocate(92);
                readAll(registry);
                readAll(registry);
                assertThat(value("polder.heap.live", "heap", "1")).isZero();
                assertThat(value("polder.heap.live", "heap", "2")).isEqualTo(104);
            }
            readAll(registry);
            assertThat(registry.find("polder.heap.live").meters()).isEmpty();
        }
    }
}
