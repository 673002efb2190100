package io.polder.lab.evacuation;

import io.polder.heap.HeapOptions;
import io.polder.heap.space.HeapSettings;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Main class of a measuring JVM: what a read costs that meets no moving object, against a copy of
 * the same bytes that no heap has.
 *
 * <p>One thread; objects that the caches hold, and objects that they do not. Kinds take turns, in
 * an order drawn anew.
 *
 * <p>Arguments: seed, {@link ReadPlan}. Output: {@link Findings} with a sample of each {@link Kind}
 * in each round: nanoseconds of a copy.
 */
final class ReadJvm {
    /** Of the objects that the caches hold: less than the second level has. */
    private static final long WARM_BYTES = 96 << 10;

    /** So that a few large objects are not all that is measured. */
    private static final int SIZE_MAX = 4096;

    /** Who copies, and from where. */
    enum Kind {
        COPY_WARM,
        READ_WARM,
        GET_WARM,
        COPY_COLD,
        READ_COLD,
        GET_COLD;

        /** Name of its samples. */
        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private ReadJvm() {}

    /** See the class. */
    public static void main(String[] args) throws InterruptedException {
        Reporter reporter = Reporter.ofThisProcess();
        List<String> words = List.of(args);
        long seed = Long.parseLong(words.getFirst());
        ReadPlan plan = ReadPlan.parse(words.subList(1, words.size()));
        try (LabHeap heap = new LabHeap(HeapSettings.of(HeapOptions.DEFAULT))) {
            ReadLoop.Objects warm = new ReadLoop.Objects(heap.heap(), WARM_BYTES, SIZE_MAX, seed);
            ReadLoop.Objects cold =
                    new ReadLoop.Objects(heap.heap(), plan.coldBytes(), SIZE_MAX, seed + 1);
            Crew<Kind> crew = new Crew<>(1, Kind.class, (kind, _) -> loop(kind, warm, cold));
            measure(plan, crew, new Random(seed), reporter);
            crew.close();
            heap.verifyAtRest();
        }
        reporter.done();
    }

    private static ReadLoop loop(Kind kind, ReadLoop.Objects warm, ReadLoop.Objects cold) {
        return switch (kind) {
            case COPY_WARM -> new ReadLoop.Plain(warm);
            case READ_WARM -> new ReadLoop.Read(warm);
            case GET_WARM -> new ReadLoop.Get(warm);
            case COPY_COLD -> new ReadLoop.Plain(cold);
            case READ_COLD -> new ReadLoop.Read(cold);
            case GET_COLD -> new ReadLoop.Get(cold);
        };
    }

    private static void measure(ReadPlan plan, Crew<Kind> crew, Random random, Reporter reporter)
            throws InterruptedException {
        List<Kind> order = new ArrayList<>(Arrays.asList(Kind.values()));
        long start = System.nanoTime();
        while (System.nanoTime() - start < plan.warmup().toNanos()) {
            for (Kind kind : order) {
                crew.measure(kind, plan.window());
            }
        }
        for (int round = 0; round < plan.rounds(); round++) {
            Collections.shuffle(order, random);
            for (Kind kind : order) {
                Crew.Window window = crew.measure(kind, plan.window());
                reporter.sample(kind.id(), window.cpuNanosPerOperation());
            }
            reporter.progress((round + 1.0) / plan.rounds());
        }
    }
}
