package io.polder.lab.experiments.cache;

import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Sampler;
import io.polder.memory.ProcessCheck;

import java.time.Duration;
import java.util.BitSet;

/**
 * Main class of a measuring JVM: what a cache holds of the memory it takes, phase by phase.
 *
 * <pre>
 *   warm-up, base | put small, rest | put medium, rest | ... | remove 95 %, rest | remove all, rest
 *                                 ^ rss, then live                            ^
 * </pre>
 *
 * <p>Keys ascend; a value's size follows from its key. <em>Live</em> are the bytes of values whose
 * keys the cache has, which is asked after the resident set was taken. Of some keys the value is
 * read and compared. Before the base and before each look the Java heap is collected: what a heap
 * of one size has is part of the base, and a cache on the heap is looked at without its garbage.
 * So is what classes and compiled code take: all phases were gone through before.
 *
 * <p>Samples: those named here, with the contender in front and the phase behind, and points.
 */
final class MemoryJvm {
    static final String RSS = ".rss.";
    static final String LIVE = ".live.";
    static final String PUTS = ".memory.puts_per_s";

    /** Of each phase. */
    private static final int POINTS = 25;

    private static final int POINTS_OF_REST = 5;

    /** Of so many entries that the cache has, one is read. */
    private static final int READ_EVERY = 997;

    /** Of so many entries one stays when 95 % are removed. */
    private static final int STAYING = 20;

    /** The least that Polder's cache can have. */
    private static final long WARMUP_LIMIT = 16 << 20;

    private static final Duration WARMUP_REST = Duration.ofSeconds(2);

    /** After one, compilers took up to 6 MiB more beside what was measured. */
    private static final int WARMUPS = 3;

    private final Task task;
    private final Sampler sampler;
    private final Values values = new Values(Phase.valueBytesMax());
    private final long[] firstKey = new long[Phase.values().length + 1];
    private final BitSet present = new BitSet();
    private long baseBytes;
    private long putNanos;

    private MemoryJvm(Task task, Sampler sampler) {
        this.task = task;
        this.sampler = sampler;
    }

    /** What it is told. */
    record Task(Contender contender, long seed, Scale.Memory scale) {}

    /** See the class. */
    public static void main(String[] args) {
        ContenderMain.run(args, Task.class, MemoryJvm::run);
    }

    private static void run(Task task, Sampler sampler) throws Exception {
        CacheMaker maker = Makers.of(task.contender());
        for (int i = 0; i < WARMUPS; i++) {
            warmUp(maker, task);
        }
        MemoryJvm measured = new MemoryJvm(task, sampler);
        try (CacheUnderTest cache = maker.open(room(task.scale().limit()))) {
            measured.phases(cache, task.scale().rest());
        }
    }

    /**
     * All phases in a small cache, which nobody hears of: their classes are loaded then, and their
     * code is compiled. What that takes is the JVM's, and no cache gives it back.
     */
    private static void warmUp(CacheMaker maker, Task task) throws Exception {
        Duration full = task.scale().rest();
        Duration rest = full.compareTo(WARMUP_REST) < 0 ? full : WARMUP_REST;
        Scale.Memory little = new Scale.Memory(WARMUP_LIMIT, rest);
        Task warmup = new Task(task.contender(), task.seed(), little);
        try (CacheUnderTest cache = maker.open(room(WARMUP_LIMIT))) {
            new MemoryJvm(warmup, new Findings()).phases(cache, rest);
        }
        // What was direct memory goes back a little after a collection.
        collect();
        Thread.sleep(rest);
    }

    private static CacheMaker.Room room(long limit) {
        // As many as there are of the smallest values, which come last.
        return new CacheMaker.Room(limit, limit / 100, 300, Phase.valueBytesMax());
    }

    private void phases(CacheUnderTest cache, Duration rest) throws InterruptedException {
        collect();
        baseBytes = ProcessCheck.rssBytes().orElseThrow();
        for (Phase phase : Phase.values()) {
            int number = phase.number();
            if (phase.puts()) {
                put(cache, phase);
            } else {
                firstKey[number + 1] = firstKey[number];
                remove(cache, phase);
            }
            rest(phase, phase.puts() ? rest.dividedBy(STAYING / 4) : rest);
            look(cache, phase);
            sampler.progress((number + 1.0) / Phase.values().length);
        }
        String who = task.contender().id();
        sampler.sample(who + PUTS, firstKey[firstKey.length - 1] * 1e9 / putNanos);
    }

    private void put(CacheUnderTest cache, Phase phase) {
        long bytes = phase.bytesPut(task.scale().limit());
        long key = firstKey[phase.number()];
        long start = System.nanoTime();
        long put = 0;
        int points = 0;
        while (put < bytes) {
            int size = size(phase, key);
            cache.put(key, values.of(key, size));
            present.set((int) key);
            key++;
            put += size;
            if (put * POINTS / bytes > points) {
                points++;
                point(phase, 0.9 * put / bytes);
            }
        }
        putNanos += System.nanoTime() - start;
        firstKey[phase.number() + 1] = key;
    }

    private void remove(CacheUnderTest cache, Phase phase) {
        boolean all = phase == Phase.DELETED;
        int total = Math.max(1, present.cardinality());
        int seen = 0;
        int points = 0;
        for (int key = present.nextSetBit(0); key >= 0; key = present.nextSetBit(key + 1)) {
            if (all || Long.remainderUnsigned(Values.mix(~task.seed(), key), STAYING) != 0) {
                cache.remove(key);
                present.clear(key);
            }
            seen++;
            if ((long) seen * POINTS / total > points) {
                points++;
                point(phase, 0.5 * seen / total);
            }
        }
    }

    private void rest(Phase phase, Duration time) throws InterruptedException {
        double begun = phase.puts() ? 0.9 : 0.5;
        for (int i = 1; i <= POINTS_OF_REST; i++) {
            Thread.sleep(time.dividedBy(POINTS_OF_REST));
            point(phase, begun + (1 - begun) * i / POINTS_OF_REST);
        }
    }

    /** What is resident, and then what of it is live. */
    private void look(CacheUnderTest cache, Phase phase) {
        collect();
        long rss = grownBytes();
        long live = 0;
        long checked = 0;
        for (Phase each : Phase.values()) {
            int end = (int) firstKey[each.number() + 1];
            int key = present.nextSetBit((int) firstKey[each.number()]);
            for (; key >= 0 && key < end; key = present.nextSetBit(key + 1)) {
                if (!cache.contains(key)) {
                    present.clear(key);
                    continue;
                }
                int size = size(each, key);
                live += size;
                byte[] value = key % READ_EVERY == 0 ? cache.get(key) : null;
                if (value != null) {
                    values.check(key, size, value);
                    checked++;
                }
            }
            if (each == phase) {
                break;
            }
        }
        if (phase != Phase.DELETED && live == 0) {
            throw new AssertionError(
                    "something must be there: contender=%s, phase=%s, checked=%d"
                            .formatted(task.contender().id(), phase.id(), checked));
        }
        String who = task.contender().id();
        sampler.count(who + RSS + phase.id(), rss);
        sampler.count(who + LIVE + phase.id(), live);
    }

    private int size(Phase phase, long key) {
        return phase.bytes(Values.mix(task.seed(), key));
    }

    private void point(Phase phase, double part) {
        sampler.point(new CachePoint(task.contender(), phase.number() + part, grownBytes()));
    }

    private long grownBytes() {
        return ProcessCheck.rssBytes().orElseThrow() - baseBytes;
    }

    private static void collect() {
        System.gc();
    }
}
