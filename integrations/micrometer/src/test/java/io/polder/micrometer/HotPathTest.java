package io.polder.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.polder.BlockAllocator;
import io.polder.MemoryPool;

import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicBoolean;

/** What threads that use a pool allocate on the Java heap while somebody scrapes it. */
class HotPathTest {
    private static final int OPERATIONS = 20_000;

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** What one operation allocates, on average of many. */
    private long bytesOfOne(Runnable operation) {
        for (int i = 0; i < OPERATIONS; i++) {
            operation.run();
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < OPERATIONS; i++) {
            operation.run();
        }
        return (threads.getCurrentThreadAllocatedBytes() - before) / OPERATIONS;
    }

    @Test
    void scrape_atTheSameTime_allocatesNothingForWhoUsesThePool() throws InterruptedException {
        try (MemoryPool pool = MemoryPool.builder().name("hot").build()) {
            BlockAllocator blocks = pool.blocks();
            new PolderMetrics(pool).bindTo(registry);
            AtomicBoolean over = new AtomicBoolean();
            int[] scrapes = new int[1];
            Thread scraping =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        do { // it may have its first turn at the end
                                            registry.forEachMeter(
                                                    meter ->
                                                            meter.measure()
                                                                    .forEach(
                                                                            one -> one.getValue()));
                                            scrapes[0]++;
                                        } while (!over.get());
                                    });
            long bytes = bytesOfOne(() -> blocks.freeAddress(blocks.allocateAddress(200)));
            over.set(true);
            scraping.join();
            assertThat(scrapes[0]).isPositive();
            assertThat(bytes).isZero();
        }
    }
}
