package io.polder.lab.experiments.evacuation;

import io.polder.heap.EvacuationFailurePolicy;
import io.polder.lab.experiments.evacuation.ShiftPoint.Moment;
import io.polder.lab.experiments.evacuation.ShiftPoint.Value;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Nanos;

import org.HdrHistogram.Histogram;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Results that nobody measured. */
final class MadeUpResults {
    private static final long MIB = 1L << 20;

    private MadeUpResults() {}

    /** All that there is to report; times are so many times what they are with a factor of 1. */
    static Results of(long factor) {
        Map<GateKind, Findings> traffic = new EnumMap<>(GateKind.class);
        for (GateKind gate : GateKind.values()) {
            traffic.put(gate, traffic(factor));
        }
        Map<EvacuationFailurePolicy, Findings> exhaustion =
                new EnumMap<>(EvacuationFailurePolicy.class);
        for (EvacuationFailurePolicy policy : EvacuationFailurePolicy.values()) {
            exhaustion.put(policy, exhaustion(factor));
        }
        Map<ShiftContender, Findings> shift = new EnumMap<>(ShiftContender.class);
        for (ShiftContender contender : ShiftContender.values()) {
            shift.put(contender, shift(factor));
        }
        return new Results(
                gates(factor),
                reads(factor),
                traffic,
                exhaustion,
                shift,
                stall(factor),
                fullHeap(factor),
                access(factor));
    }

    private static Findings gates(long factor) {
        Findings findings = new Findings();
        for (int threads : Scale.GatePlan.THREADS) {
            samples(findings, GateContender.SINGLE.samples(threads), 40.0 * factor, 60.0 * factor);
            samples(findings, GateContender.STRIPED.samples(threads), 10.0 * factor, 20.0 * factor);
            samples(findings, GateContender.SLOT.samples(threads), 1.0 * factor, 2.0 * factor);
            samples(findings, GateContender.ACCESSOR.samples(threads), 1.0 * factor, 1.0 * factor);
        }
        samples(findings, GateJvm.PROCESSORS, 0.1, 0.1);
        return findings;
    }

    private static Findings reads(long factor) {
        Findings findings = new Findings();
        for (ReadJvm.Kind kind : ReadJvm.Kind.values()) {
            boolean copy = kind.id().startsWith("copy");
            samples(
                    findings,
                    kind.id(),
                    copy ? 30 : 30 + 4.0 * factor,
                    copy ? 40 : 40 + 6.0 * factor);
        }
        return findings;
    }

    private static Findings traffic(long factor) {
        Findings findings = new Findings();
        samples(findings, TrafficJvm.AT_REST, 2e6 * factor, 3e6 * factor);
        samples(findings, TrafficJvm.COMPACTING, 1e6 * factor, 3e6 * factor);
        samples(findings, TrafficJvm.COMPACTION_SHARE, 0.2, 0.25);
        samples(findings, TrafficJvm.EVACUATED, 100.0 * MIB * factor);
        samples(findings, TrafficJvm.RATE, 5e5 * factor);
        samples(findings, TrafficJvm.CRITICAL, 4e5 * factor);
        samples(findings, TrafficJvm.STALE, 0);
        latencies(findings, TrafficJvm.LATENCIES, 1000 * factor, 3000 * factor);
        latencies(findings, TrafficJvm.CONTROL, 500 * factor, 3000 * factor);
        return findings;
    }

    private static Findings exhaustion(long factor) {
        Findings findings = new Findings();
        for (ExhaustionJvm.Way way : ExhaustionJvm.Way.values()) {
            for (String name :
                    List.of(
                            ExhaustionJvm.CYCLES,
                            ExhaustionJvm.EXHAUSTED,
                            ExhaustionJvm.REFUSED,
                            ExhaustionJvm.HELPED,
                            ExhaustionJvm.PINNED,
                            ExhaustionJvm.FULL,
                            ExhaustionJvm.LONGEST_WAIT)) {
                samples(findings, way.sample(name), 2500.0 * factor);
            }
            samples(findings, way.sample(ExhaustionJvm.LOST), factor - 1.0);
            samples(findings, way.sample(ExhaustionJvm.WAITS), 4.0 * factor);
        }
        latencies(findings, ExhaustionJvm.COMPACTIONS, 10_000 * factor);
        return findings;
    }

    /** A resident set of so many times what lives. */
    private static Findings shift(long factor) {
        Findings findings = new Findings();
        for (ShiftPhase phase : ShiftPhase.values()) {
            long live = phase == ShiftPhase.DELETED_ALL ? 0 : 100 * MIB / (1 + phase.leaves(0));
            for (Moment moment : Moment.values()) {
                Map<Value, Long> values = new EnumMap<>(Value.class);
                for (Value value : Value.values()) {
                    values.put(value, 1000 * factor);
                }
                values.put(Value.LIVE_BYTES, live);
                values.put(Value.RSS_BYTES, live * factor + 10 * MIB);
                findings.point(new ShiftPoint(phase, moment, values));
            }
        }
        for (String name :
                List.of(ShiftJvm.PUTS, ShiftJvm.READS, ShiftJvm.UPDATES, ShiftJvm.CONTROL)) {
            latencies(findings, name, 100 * factor, 900 * factor);
        }
        samples(findings, ShiftJvm.DAMAGED, factor - 1.0);
        samples(findings, ShiftJvm.LONGEST_WAIT, 100_000.0 * factor);
        samples(findings, ShiftJvm.WAITS, 10.0 * factor);
        return findings;
    }

    private static Findings stall(long factor) {
        Findings findings = new Findings();
        samples(findings, StallJvm.NAMED, 1);
        samples(findings, StallJvm.LONGEST_WAIT, 5_000.0 * factor);
        samples(findings, StallJvm.GRACE, 1e9);
        latencies(findings, StallJvm.OPERATIONS, 100 * factor);
        latencies(findings, StallJvm.CONTROL, 100 * factor);
        return findings;
    }

    private static Findings fullHeap(long factor) {
        Findings findings = new Findings();
        samples(findings, FullHeapJvm.REFUSED, 0);
        latencies(findings, FullHeapJvm.ALLOCATIONS, 100, 4_000_000 * factor);
        latencies(findings, FullHeapJvm.CONTROL, 100 * factor);
        return findings;
    }

    private static Findings access(long factor) {
        Findings findings = new Findings();
        for (AccessJvm.Kind kind : AccessJvm.Kind.values()) {
            boolean copy = kind.id().startsWith("copy");
            samples(findings, kind.id(), copy ? 4 : 4 + 4.0 * factor, copy ? 5 : 5 + 6.0 * factor);
        }
        samples(findings, AccessJvm.MANY_READERS_BYTES, 8.0 * factor);
        return findings;
    }

    private static void samples(Findings findings, String name, double... values) {
        for (double value : values) {
            findings.sample(name, value);
        }
    }

    private static void latencies(Findings findings, String name, long... nanos) {
        Histogram histogram = Nanos.histogram();
        for (long value : nanos) {
            Nanos.record(histogram, value);
        }
        findings.latencies(name, histogram);
    }
}
