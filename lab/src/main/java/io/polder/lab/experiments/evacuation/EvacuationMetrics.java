package io.polder.lab.experiments.evacuation;

import io.polder.heap.OutOfMemoryPolicy;
import io.polder.lab.experiments.evacuation.Scale.GatePlan;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * The metrics of the evacuation experiment, each with its name, which is the same for every run.
 *
 * <pre>{@code
 * gate.{single,striped,slot,accessor}.tN_ns         enter and leave, with N threads
 *     .{striped,single}_over_slot.tN, .striped_over_accessor.tN
 * heap.read_over_copy_ns, ..._cold_ns               a read less a copy of the same bytes
 * evacuation.{single,striped,slot}.ops_per_second, .critical_ops_per_second,
 *                                 .p50_us, .p99_us, .p999_us
 * heap.compacting_over_idle                         throughput with compaction / without
 * evacuation.oom_cycles, .lost_objects, .oom.{pin,close}.cycle_us, .wait_max_us
 * heap.live_over_rss, .live_over_rss.{a,b,c,d}, .rss_over_live.deleted95, .rss.deleted_all_bytes
 * heap.malloc.*                                     the same of malloc
 * heap.wait_max_us, heap.stalled.wait_max_us
 * }</pre>
 */
final class EvacuationMetrics {
    private static final double NANOS_PER_MICRO = 1e3;
    private static final String NS = "ns";
    private static final String US = "us";
    private static final String RATE = "ops/s";
    private static final String COUNT = "count";

    private static final List<Definition> ALL = definitions();

    private EvacuationMetrics() {}

    /** A metric, and how it comes from results. */
    private record Definition(
            String name, String unit, Better better, Function<Results, Quartiles> value) {}

    /** Names of the metrics, in the order of {@link #of}. */
    static List<String> names() {
        return ALL.stream().map(Definition::name).toList();
    }

    /** Metrics of what was found. */
    static List<Metric> of(Results results) {
        return ALL.stream()
                .map(
                        metric ->
                                new Metric(
                                        metric.name,
                                        metric.value.apply(results),
                                        metric.unit,
                                        metric.better))
                .toList();
    }

    private static List<Definition> definitions() {
        List<Definition> all = new ArrayList<>();
        addGates(all);
        addReads(all);
        for (GateKind gate : GateKind.values()) {
            addTraffic(all, gate);
        }
        all.add(
                median(
                        "heap.compacting_over_idle",
                        Metric.TIMES,
                        Better.HIGHER,
                        results -> compactingOverIdle(results)));
        addExhaustion(all);
        for (ShiftContender contender : ShiftContender.values()) {
            addShift(all, contender);
        }
        all.add(
                lower(
                        "heap.wait_max_us",
                        US,
                        results ->
                                results.shift(ShiftContender.HEAP)
                                                .findings()
                                                .max(ShiftJvm.LONGEST_WAIT)
                                        / NANOS_PER_MICRO));
        all.add(
                lower(
                        "heap.stalled.wait_max_us",
                        US,
                        results -> results.stall().max(StallJvm.LONGEST_WAIT) / NANOS_PER_MICRO));
        return List.copyOf(all);
    }

    /** Throughput while the heap is compacted over throughput at rest, with the default gate. */
    static Quartiles compactingOverIdle(Results results) {
        return results.traffic(GateKind.SLOT).ratio(TrafficJvm.COMPACTING, TrafficJvm.AT_REST);
    }

    private static void addGates(List<Definition> all) {
        for (GateContender contender : GateContender.values()) {
            for (int threads : GatePlan.THREADS) {
                all.add(
                        median(
                                "gate." + contender.samples(threads) + "_ns",
                                NS,
                                Better.LOWER,
                                results -> results.gates().quartiles(contender.samples(threads))));
            }
        }
        addGateRatio(all, GateContender.STRIPED, GateContender.SLOT);
        addGateRatio(all, GateContender.SINGLE, GateContender.SLOT);
        addGateRatio(all, GateContender.STRIPED, GateContender.ACCESSOR);
    }

    private static void addGateRatio(List<Definition> all, GateContender one, GateContender other) {
        for (int threads : GatePlan.THREADS) {
            all.add(
                    median(
                            "gate." + one.id() + "_over_" + other.samples(threads),
                            Metric.TIMES,
                            Better.HIGHER,
                            results ->
                                    results.gates()
                                            .ratio(one.samples(threads), other.samples(threads))));
        }
    }

    private static void addReads(List<Definition> all) {
        all.add(
                lower(
                        "heap.read_over_copy_ns",
                        NS,
                        results ->
                                results.readOverCopy(
                                        ReadJvm.Kind.READ_WARM, ReadJvm.Kind.COPY_WARM)));
        all.add(
                lower(
                        "heap.read_over_copy_cold_ns",
                        NS,
                        results ->
                                results.readOverCopy(
                                        ReadJvm.Kind.READ_COLD, ReadJvm.Kind.COPY_COLD)));
    }

    private static void addTraffic(List<Definition> all, GateKind gate) {
        String prefix = "evacuation." + gate.name().toLowerCase(Locale.ROOT) + ".";
        all.add(
                median(
                        prefix + "ops_per_second",
                        RATE,
                        Better.HIGHER,
                        results -> results.traffic(gate).quartiles(TrafficJvm.COMPACTING)));
        all.add(
                median(
                        prefix + "critical_ops_per_second",
                        RATE,
                        Better.HIGHER,
                        results -> results.traffic(gate).quartiles(TrafficJvm.CRITICAL)));
        addPercentile(all, gate, prefix + "p50_us", 50);
        addPercentile(all, gate, prefix + "p99_us", 99);
        addPercentile(all, gate, prefix + "p999_us", 99.9);
    }

    private static void addPercentile(
            List<Definition> all, GateKind gate, String name, double percentile) {
        all.add(
                lower(
                        name,
                        US,
                        results ->
                                results.traffic(gate)
                                                .latencies(TrafficJvm.LATENCIES)
                                                .getValueAtPercentile(percentile)
                                        / NANOS_PER_MICRO));
    }

    private static void addExhaustion(List<Definition> all) {
        all.add(
                higher(
                        "evacuation.oom_cycles",
                        COUNT,
                        results -> sumOfPolicies(results, ExhaustionJvm.EXHAUSTED)));
        all.add(lower("evacuation.lost_objects", COUNT, EvacuationMetrics::lostObjects));
        for (OutOfMemoryPolicy policy : OutOfMemoryPolicy.values()) {
            String prefix = "evacuation.oom." + policy.name().toLowerCase(Locale.ROOT) + ".";
            all.add(
                    lower(
                            prefix + "cycle_us",
                            US,
                            results ->
                                    results.exhaustion(policy)
                                                    .latencies(ExhaustionJvm.COMPACTIONS)
                                                    .getMean()
                                            / NANOS_PER_MICRO));
            all.add(
                    lower(
                            prefix + "wait_max_us",
                            US,
                            results -> longestWait(results.exhaustion(policy)) / NANOS_PER_MICRO));
        }
    }

    /** Objects lost or damaged, in all that was run. */
    static double lostObjects(Results results) {
        double damaged = 0;
        for (ShiftContender contender : ShiftContender.values()) {
            damaged += results.shift(contender).findings().sum(ShiftJvm.DAMAGED);
        }
        return damaged + sumOfPolicies(results, ExhaustionJvm.LOST);
    }

    private static double sumOfPolicies(Results results, String name) {
        double sum = 0;
        for (Findings findings : results.exhaustion().values()) {
            for (ExhaustionJvm.Way way : ExhaustionJvm.Way.values()) {
                sum += findings.sum(way.sample(name));
            }
        }
        return sum;
    }

    private static double longestWait(Findings exhaustion) {
        return Arrays.stream(ExhaustionJvm.Way.values())
                .mapToDouble(way -> exhaustion.max(way.sample(ExhaustionJvm.LONGEST_WAIT)))
                .max()
                .orElseThrow();
    }

    private static void addShift(List<Definition> all, ShiftContender contender) {
        String prefix = contender.prefix();
        all.add(
                higher(
                        prefix + "live_over_rss",
                        Metric.TIMES,
                        results -> results.shift(contender).liveOverRss()));
        for (ShiftPhase phase : ShiftPhase.values()) {
            if (phase.isWriting()) {
                all.add(
                        higher(
                                prefix + "live_over_rss." + phase.id(),
                                Metric.TIMES,
                                results -> results.shift(contender).liveOverRss(phase)));
            }
        }
        all.add(
                lower(
                        prefix + "rss_over_live.deleted95",
                        Metric.TIMES,
                        results -> results.shift(contender).rssOverLiveDeleted95()));
        all.add(
                lower(
                        prefix + "rss.deleted_all_bytes",
                        "B",
                        results -> results.shift(contender).rssDeletedAllBytes()));
    }

    private static Definition lower(String name, String unit, ToDoubleFunction<Results> value) {
        return new Definition(name, unit, Better.LOWER, exactly(value));
    }

    private static Definition higher(String name, String unit, ToDoubleFunction<Results> value) {
        return new Definition(name, unit, Better.HIGHER, exactly(value));
    }

    private static Function<Results, Quartiles> exactly(ToDoubleFunction<Results> value) {
        return results -> {
            double exact = value.applyAsDouble(results);
            return new Quartiles(exact, exact, exact);
        };
    }

    private static Definition median(
            String name, String unit, Better better, Function<Results, Quartiles> value) {
        return new Definition(name, unit, better, value);
    }
}
