package io.polder.bench;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.polder.MemoryPool;
import io.polder.heap.RelocatingHeap;
import io.polder.micrometer.PolderMetrics;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A scrape: every meter of all pools is read once. The pools have open arenas, blocks, pages and a
 * heap with some hundred objects; that of the process is there as well.
 *
 * <p>Run: {@code bench/run ScrapingMeters}
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 10, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(
        value = 1,
        jvmArgsAppend = {JvmFlags.NATIVE_ACCESS})
@State(Scope.Thread)
public class ScrapingMeters {
    private static final int EACH = 300;

    /** How many pools there are. */
    @Param({"1", "10"})
    public int pools = 1;

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final List<MemoryPool> opened = new ArrayList<>();
    private final List<Arena> arenas = new ArrayList<>();
    private final List<RelocatingHeap> heaps = new ArrayList<>();

    /** JMH makes it. */
    public ScrapingMeters() {}

    /** Opens the pools, and binds them. */
    @Setup
    public void open() {
        for (int i = 0; i < pools; i++) {
            MemoryPool pool = MemoryPool.builder().name("pool " + i).build();
            opened.add(pool);
            RelocatingHeap heap = pool.openHeap();
            heaps.add(heap);
            for (int j = 0; j < EACH; j++) {
                Arena arena = pool.openShared();
                arena.allocate(100L * j + 1);
                arenas.add(arena);
                long _ = heap.allocate(100L * j + 1);
                long _ = pool.blocks().allocateAddress(100L * j + 1); // ends with the pool
            }
        }
        PolderMetrics.Binding _ = PolderMetrics.bindToAll(registry);
    }

    /** Closes them. */
    @TearDown
    public void close() {
        heaps.forEach(RelocatingHeap::close);
        arenas.forEach(Arena::close);
        opened.forEach(MemoryPool::close);
    }

    /** Reads every meter once, as a registry does that is scraped. */
    @Benchmark
    public double scrape() {
        double[] sum = new double[1];
        registry.forEachMeter(meter -> meter.measure().forEach(each -> sum[0] += each.getValue()));
        return sum[0];
    }

    /** What is asked of the pools for it. */
    @Benchmark
    public long statistics() {
        long sum = 0;
        for (MemoryPool pool : opened) {
            sum += pool.stats().usedBytes();
        }
        return sum;
    }
}
