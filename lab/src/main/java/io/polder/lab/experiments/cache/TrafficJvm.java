package io.polder.lab.experiments.cache;

import io.polder.lab.harness.Sampler;
import io.polder.memory.ProcessCheck;

import java.util.stream.IntStream;

/**
 * Main class of a measuring JVM: a cache that is filled, and then read and written by two threads.
 *
 * <p>All entries have keys of eight bytes and values of {@value #VALUE_BYTES}, unless the {@link
 * Mix} says otherwise, and the cache has {@value #ROOM_BYTES} bytes of room for each. Some need
 * more, evict, and then have misses. What is resident beyond keys and values, for each entry that
 * is there, is looked at when it is full.
 *
 * <p>Samples: those named here, with the contender in front and the number of entries behind; of
 * windows also the {@link Mix}.
 */
final class TrafficJvm {
    static final String BYTES_PER_ENTRY = ".bytes_per_entry.";
    static final String HIT_SHARE = ".hit_share.";
    static final String PER_SECOND = ".per_s.";
    static final String GETS = ".get_ns.";
    static final String PUTS = ".put_ns.";
    static final String CONTROL = ".control_ns.";

    static final int VALUE_BYTES = 100;

    /** Of an entry with all that belongs to it. */
    private static final int ROOM_BYTES = 200;

    private TrafficJvm() {}

    /** What it is told. */
    record Task(Contender contender, int entries, long seed, Scale.Traffic scale) {}

    /** See the class. */
    public static void main(String[] args) {
        ContenderMain.run(args, Task.class, TrafficJvm::run);
    }

    private static void run(Task task, Sampler sampler) throws Exception {
        CacheMaker maker = Makers.of(task.contender());
        int entries = task.entries();
        warmUp(maker, task);
        System.gc();
        long base = ProcessCheck.rssBytes().orElseThrow();
        Values values = new Values(Mix.valueBytesMax(VALUE_BYTES));
        try (CacheUnderTest cache = maker.open(room(entries))) {
            fill(cache, values, entries);
            System.gc();
            Thread.sleep(task.scale().window());
            long grown = ProcessCheck.rssBytes().orElseThrow() - base;
            long there = IntStream.range(0, entries).filter(cache::contains).count();
            String who = task.contender().id();
            sampler.sample(
                    who + BYTES_PER_ENTRY + entries,
                    (double) grown / Math.max(1, there) - Long.BYTES - VALUE_BYTES);
            sampler.progress(0.5);
            measure(task, cache, values, sampler);
        }
    }

    private static CacheMaker.Room room(int entries) {
        return new CacheMaker.Room(
                Math.max((long) entries * ROOM_BYTES, 16 << 20),
                entries,
                VALUE_BYTES,
                Mix.valueBytesMax(VALUE_BYTES));
    }

    /** So that code is compiled, and what is resident grows by entries alone. */
    private static void warmUp(CacheMaker maker, Task task) throws Exception {
        int few = Math.min(task.entries(), 50_000);
        try (CacheUnderTest cache = maker.open(room(few))) {
            Values values = new Values(Mix.valueBytesMax(VALUE_BYTES));
            fill(cache, values, few);
            Traffic traffic = new Traffic(cache, values, few, task.seed());
            for (Mix mix : Mix.values()) {
                long _ = traffic.perWindow(mix, task.scale().window());
                Traffic.Latencies _ = traffic.timed(mix, task.scale().window());
            }
            traffic.close();
        }
    }

    private static void fill(CacheUnderTest cache, Values values, int entries) {
        for (int key = 0; key < entries; key++) {
            cache.put(key, values.of(key, VALUE_BYTES));
        }
    }

    private static void measure(Task task, CacheUnderTest cache, Values values, Sampler sampler)
            throws InterruptedException {
        String who = task.contender().id();
        Scale.Traffic scale = task.scale();
        Traffic traffic = new Traffic(cache, values, task.entries(), task.seed());
        for (Mix mix : Mix.values()) {
            String where = task.entries() + "." + mix.id();
            for (int i = 0; i < scale.windows(); i++) {
                long done = traffic.perWindow(mix, scale.window());
                sampler.sample(who + PER_SECOND + where, done * 1e9 / traffic.windowNanos());
                Traffic.Latencies latencies = traffic.timed(mix, scale.window());
                sampler.latencies(who + GETS + where, latencies.gets());
                sampler.latencies(who + PUTS + where, latencies.puts());
                // In turns, so that the machine's own pauses meet all alike.
                sampler.latencies(who + CONTROL + where, traffic.control(scale.window()));
            }
        }
        sampler.sample(who + HIT_SHARE + task.entries(), traffic.hitShare());
        traffic.close();
    }
}
