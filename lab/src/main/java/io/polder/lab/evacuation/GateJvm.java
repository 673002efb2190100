package io.polder.lab.evacuation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Main class of a measuring JVM: what it costs to enter a gate and leave it.
 *
 * <p>In a round each contender is measured once at each number of threads, in an order drawn anew.
 *
 * <p>Arguments: seed, {@link GatePlan}. Output: {@link Findings} with a sample of each contender
 * and number of threads in each round, and {@value #PROCESSORS}.
 */
final class GateJvm {
    /** Processors that all threads got together, where there were more threads than processors. */
    static final String PROCESSORS = "processors";

    private final GatePlan plan;
    private final Random random;
    private final Gates gates = new Gates();
    private final Map<Integer, Crew<GateContender>> crews = new TreeMap<>();

    private GateJvm(GatePlan plan, long seed) {
        this.plan = plan;
        this.random = new Random(seed);
        GatePlan.THREADS.forEach(count -> crews.put(count, crewOf(count)));
    }

    /** See the class. */
    public static void main(String[] args) throws InterruptedException {
        Reporter reporter = Reporter.ofThisProcess();
        List<String> words = List.of(args);
        GateJvm jvm =
                new GateJvm(
                        GatePlan.parse(words.subList(1, words.size())),
                        Long.parseLong(words.getFirst()));
        jvm.run(reporter);
        reporter.done();
    }

    private void run(Reporter reporter) throws InterruptedException {
        Duration step = plan.window();
        long start = System.nanoTime();
        while (System.nanoTime() - start < plan.warmup().toNanos()) {
            for (GateContender contender : GateContender.values()) {
                crew(1).measure(contender, step);
                crew(2).measure(contender, step);
            }
        }
        for (int round = 0; round < plan.rounds(); round++) {
            round(reporter);
            reporter.progress((round + 1.0) / plan.rounds());
        }
        for (Crew<GateContender> crew : crews.values()) {
            crew.close();
        }
        gates.verifyEmpty();
    }

    private void round(Reporter reporter) throws InterruptedException {
        List<Integer> counts = new ArrayList<>(GatePlan.THREADS);
        Collections.shuffle(counts, random);
        for (int count : counts) {
            List<GateContender> order = new ArrayList<>(Arrays.asList(GateContender.values()));
            Collections.shuffle(order, random);
            for (GateContender contender : order) {
                Crew.Window window = crew(count).measure(contender, plan.window());
                reporter.sample(contender.samples(count), window.cpuNanosPerOperation());
                if (count >= Runtime.getRuntime().availableProcessors()) {
                    reporter.sample(PROCESSORS, window.processors());
                }
            }
        }
    }

    private Crew<GateContender> crewOf(int count) {
        return new Crew<>(count, GateContender.class, (contender, _) -> gates.loop(contender));
    }

    private Crew<GateContender> crew(int count) {
        Crew<GateContender> crew = crews.get(count);
        if (crew == null) {
            throw new IllegalArgumentException("no such crew: threads=" + count);
        }
        return crew;
    }
}
