package io.polder.lab.experiments.evacuation;

import io.polder.heap.EvacuationFailurePolicy;
import io.polder.heap.HeapOptions;
import io.polder.lab.experiments.evacuation.ReadJvm.Kind;
import io.polder.lab.experiments.evacuation.Scale.GatePlan;
import io.polder.lab.harness.Findings;
import io.polder.lab.report.Format;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;
import io.polder.lab.report.Metrics;

import java.util.Arrays;
import java.util.List;

/**
 * The metrics of the evacuation experiment, each with its name, which is the same for every run.
 *
 * <pre>{@code
 * gate.{single,striped,slot,accessor}.tN_ns         enter and leave, with N threads
 *     .{striped,single}_over_slot.tN, .striped_over_accessor.tN
 * heap.read_over_copy_ns, ..._cold_ns               a read less a copy of the same bytes
 * heap.get_long_ns, .get_over_copy_ns               small objects, in the caches
 * heap.read_many_readers_{ns,bytes}                 the same, by functions of several classes
 * heap.get_random50m_over_copy                      small objects, in memory: a ratio
 * evacuation.{single,striped,slot}.ops_per_second, .critical_ops_per_second,
 *                                 .p50_us, .p99_us, .p999_us
 * heap.compacting_over_idle                         throughput with compaction / without
 * evacuation.oom_cycles, .lost_objects, .oom.{pin,close}.cycle_us, .wait_max_us
 * heap.live_over_rss, .live_over_rss.{a,b,c,d}, .rss_over_live.deleted95, .rss.deleted_all_bytes
 * heap.malloc.*                                     the same of malloc
 * heap.wait_max_us, heap.stalled.wait_max_us
 * heap.waits_for_another_copy                       of updates, with the policy that a heap has
 * heap.allocate_worst_ms                            where a heap is nearly full
 * }</pre>
 */
final class EvacuationMetrics {
    private static final String NS = "ns";
    private static final String US = "us";
    private static final String RATE = "ops/s";

    private static final Metrics<Results> ALL = all();

    private EvacuationMetrics() {}

    /** Names of the metrics, in the order of {@link #of}. */
    static List<String> names() {
        return ALL.names();
    }

    /** Metrics of what was found. */
    static List<Metric> of(Results results) {
        return ALL.of(results);
    }

    private static Metrics<Results> all() {
        Metrics<Results> all = new Metrics<>();
        addGates(all);
        all.lower(
                "heap.read_over_copy_ns",
                NS,
                found -> found.readOverCopy(Kind.READ_WARM, Kind.COPY_WARM));
        all.lower(
                "heap.read_over_copy_cold_ns",
                NS,
                found -> found.readOverCopy(Kind.READ_COLD, Kind.COPY_COLD));
        addAccess(all);
        for (GateKind gate : GateKind.values()) {
            addTraffic(all, gate);
        }
        all.ratio(
                "heap.compacting_over_idle",
                found -> TrafficText.compactingOverIdle(found, GateKind.SLOT));
        addExhaustion(all);
        for (ShiftContender contender : ShiftContender.values()) {
            addShift(all, contender);
        }
        all.lower(
                "heap.wait_max_us",
                US,
                found -> longestWait(found.shift(ShiftContender.HEAP).findings()));
        all.lower("heap.waits_for_another_copy", "count", EvacuationMetrics::waitsForAnotherCopy);
        all.lower(
                "heap.stalled.wait_max_us",
                US,
                found -> found.stall().max(StallJvm.LONGEST_WAIT) / 1e3);
        all.lower(
                "heap.allocate_worst_ms",
                "ms",
                found -> found.fullHeap().latencies(FullHeapJvm.ALLOCATIONS).getMaxValue() / 1e6);
        return all;
    }

    private static void addGates(Metrics<Results> all) {
        for (GateContender contender : GateContender.values()) {
            for (int threads : GatePlan.THREADS) {
                String pass = contender.samples(threads);
                all.median(
                        "gate." + pass + "_ns",
                        NS,
                        Better.LOWER,
                        found -> found.gates().quartiles(pass));
            }
        }
        for (GateContender.Pair pair : GateContender.Pair.ALL) {
            for (int threads : GatePlan.THREADS) {
                all.ratio(
                        "gate." + pair.one().id() + "_over_" + pair.other().samples(threads),
                        found -> pair.ratio(found.gates(), threads));
            }
        }
    }

    private static void addAccess(Metrics<Results> all) {
        all.lower("heap.get_long_ns", NS, found -> found.nanosOf(AccessJvm.Kind.GET_LONG));
        all.lower("heap.get_over_copy_ns", NS, Results::getOverCopy);
        all.lower(
                "heap.read_many_readers_ns",
                NS,
                found -> found.nanosOf(AccessJvm.Kind.READ_MANY_READERS));
        all.lower(
                "heap.read_many_readers_bytes",
                "B",
                found -> found.access().median(AccessJvm.MANY_READERS_BYTES));
        all.ratio("heap.get_random50m_over_copy", Results::randomGetOverCopy);
    }

    private static void addTraffic(Metrics<Results> all, GateKind gate) {
        String prefix = "evacuation." + Format.id(gate) + ".";
        all.median(
                prefix + "ops_per_second",
                RATE,
                Better.HIGHER,
                found -> found.traffic(gate).quartiles(TrafficJvm.COMPACTING));
        all.median(
                prefix + "critical_ops_per_second",
                RATE,
                Better.HIGHER,
                found -> found.traffic(gate).quartiles(TrafficJvm.CRITICAL));
        all.lower(prefix + "p50_us", US, found -> micros(found.traffic(gate), 50));
        all.lower(prefix + "p99_us", US, found -> micros(found.traffic(gate), 99));
        all.lower(prefix + "p999_us", US, found -> micros(found.traffic(gate), 99.9));
    }

    private static double micros(Findings traffic, double percentile) {
        return traffic.latencies(TrafficJvm.LATENCIES).getValueAtPercentile(percentile) / 1e3;
    }

    private static void addExhaustion(Metrics<Results> all) {
        all.higher(
                "evacuation.oom_cycles",
                "count",
                found -> sumOfPolicies(found, ExhaustionJvm.EXHAUSTED));
        all.lower("evacuation.lost_objects", "count", EvacuationMetrics::lostObjects);
        for (EvacuationFailurePolicy policy : EvacuationFailurePolicy.values()) {
            String prefix = "evacuation.oom." + Format.id(policy) + ".";
            all.lower(
                    prefix + "cycle_us",
                    US,
                    found ->
                            found.exhaustion(policy).latencies(ExhaustionJvm.COMPACTIONS).getMean()
                                    / 1e3);
            all.lower(
                    prefix + "wait_max_us",
                    US,
                    found -> longestOfWays(found.exhaustion(policy)) / 1e3);
        }
    }

    /** Objects lost or damaged, in all that was run. */
    private static double lostObjects(Results results) {
        double damaged = 0;
        for (ShiftContender contender : ShiftContender.values()) {
            damaged += results.shift(contender).findings().sum(ShiftJvm.DAMAGED);
        }
        return damaged + sumOfPolicies(results, ExhaustionJvm.LOST);
    }

    /** In all that was run with the policy that a heap has if nobody chooses one. */
    private static double waitsForAnotherCopy(Results results) {
        double waits = results.shift(ShiftContender.HEAP).findings().sum(ShiftJvm.WAITS);
        Findings exhaustion = results.exhaustion(HeapOptions.DEFAULT.evacuationFailure());
        for (ExhaustionJvm.Way way : ExhaustionJvm.Way.values()) {
            waits += exhaustion.sum(way.sample(ExhaustionJvm.WAITS));
        }
        return waits;
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

    private static double longestOfWays(Findings exhaustion) {
        return Arrays.stream(ExhaustionJvm.Way.values())
                .mapToDouble(way -> exhaustion.max(way.sample(ExhaustionJvm.LONGEST_WAIT)))
                .max()
                .orElseThrow();
    }

    private static double longestWait(Findings shift) {
        return shift.max(ShiftJvm.LONGEST_WAIT) / 1e3;
    }

    private static void addShift(Metrics<Results> all, ShiftContender contender) {
        String prefix = contender.prefix();
        all.higher(
                prefix + "live_over_rss",
                Metric.TIMES,
                found -> found.shift(contender).liveOverRss());
        for (ShiftPhase phase : ShiftPhase.values()) {
            if (phase.isWriting()) {
                all.higher(
                        prefix + "live_over_rss." + phase.id(),
                        Metric.TIMES,
                        found -> found.shift(contender).liveOverRss(phase));
            }
        }
        all.lower(
                prefix + "rss_over_live.deleted95",
                Metric.TIMES,
                found -> found.shift(contender).rssOverLiveDeleted95());
        all.lower(
                prefix + "rss.deleted_all_bytes",
                "B",
                found -> found.shift(contender).rssDeletedAllBytes());
    }
}
