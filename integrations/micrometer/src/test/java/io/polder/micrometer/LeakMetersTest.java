package io.polder.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.polder.LeakDetection;
import io.polder.MemoryPool;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Random;

import javax.management.Attribute;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The meters of leaks, while detection is switched on and off. */
class LeakMetersTest {
    /** No look is used for so long. */
    private static final Duration LATER = Duration.ofSeconds(2);

    private static final List<LeakDetection> ALL = List.of(LeakDetection.values());

    private final MockClock clock = new MockClock();
    private final MeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);

    private static MemoryPool pool(String name) {
        return MemoryPool.builder().name(name).build();
    }

    private long watched() {
        Meter meter = registry.get("polder.leaks.watched").meter();
        return (long) meter.measure().iterator().next().getValue();
    }

    /** As a program that scrapes does. */
    private void readAll() {
        for (Meter each : registry.getMeters()) {
            each.measure().forEach(measurement -> measurement.getValue());
        }
    }

    /** By a scrape of each kind, since a program may read the meters or bind anew. */
    @Test
    void scrape_detectionIsSwitched_hasMetersOfLeaksWhileItIsOn() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (MemoryPool pool = pool("switched")) {
            new PolderMetrics(pool).bindTo(registry);
            for (int i = 0; i < 100; i++) {
                LeakDetection now = ALL.get(random.nextInt(ALL.size()));
                detect("switched", now);
                if (random.nextBoolean()) {
                    clock.add(LATER);
                    readAll();
                } else {
                    new PolderMetrics(pool).bindTo(registry);
                }
                assertThat(namesOfLeakMeters())
                        .as("seed=%d, i=%d, detection=%s", seed, i, now)
                        .hasSize(now == LeakDetection.OFF ? 0 : 3);
            }
        }
    }

    /** Pools that share a meter by a filter have it while leaks of one of them are looked for. */
    @Test
    void scrape_detectionOfOneOfTwoThatShareMeters_keepsThem() throws Exception {
        registry.config().meterFilter(MeterFilter.ignoreTags("pool"));
        try (MemoryPool one = pool("switched one");
                MemoryPool two = pool("switched two")) {
            detect("switched one", LeakDetection.ALL);
            detect("switched two", LeakDetection.ALL);
            new PolderMetrics(one).bindTo(registry);
            new PolderMetrics(two).bindTo(registry);
            Arena watched = two.openConfined();
            watched.allocate(100);
            detect("switched one", LeakDetection.OFF);
            clock.add(LATER);
            readAll();
            assertThat(namesOfLeakMeters()).hasSize(3);
            clock.add(LATER);
            assertThat(watched()).isEqualTo(1);
            watched.close();
            detect("switched two", LeakDetection.OFF);
            clock.add(LATER);
            readAll();
            assertThat(namesOfLeakMeters()).isEmpty();
        }
    }

    private List<String> namesOfLeakMeters() {
        return registry.getMeters().stream()
                .map(each -> each.getId().getName())
                .filter(each -> each.startsWith("polder.leaks"))
                .toList();
    }

    /** As somebody does who looks at the program from outside. */
    private static void detect(String pool, LeakDetection leaks) throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name =
                new ObjectName("io.polder:type=MemoryPool,name=" + ObjectName.quote(pool));
        Await.until(() -> server.isRegistered(name));
        server.setAttribute(name, new Attribute("LeakDetection", leaks.name()));
    }
}
