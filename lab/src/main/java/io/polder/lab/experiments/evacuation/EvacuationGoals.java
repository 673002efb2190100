package io.polder.lab.experiments.evacuation;

import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** What gates and heaps are to reach, and whether they did. */
final class EvacuationGoals {
    private static final double STRIPED_OVER_SLOT = 5;
    private static final double STRIPED_OVER_ACCESSOR = 10;
    private static final double SINGLE_OVER_SLOT = 20;
    private static final double FLAT = 2;
    private static final double READ_NANOS = 10;
    private static final double COMPACTING = 0.75;
    private static final double LIVE = 0.85;
    private static final double LIVE_TINY = 0.75;
    private static final double DELETED95 = 1.5;
    private static final double WAIT_MICROS = 500;
    private static final double CYCLES = 10_000;

    private final List<Metric> metrics;
    private final List<Goal> list = new ArrayList<>();

    private EvacuationGoals(List<Metric> metrics) {
        this.metrics = metrics;
    }

    /**
     * All of them.
     *
     * @param quick whether there were too few cycles, and too little memory and time, for some
     */
    static List<Goal> list(List<Metric> metrics, boolean quick) {
        EvacuationGoals goals = new EvacuationGoals(metrics);
        goals.gates();
        goals.heaps(quick);
        return goals.list;
    }

    private void gates() {
        atLeast("gate, striped / slot, one thread", "gate.striped_over_slot.t1", STRIPED_OVER_SLOT);
        atLeast(
                "gate, striped / accessor, one thread",
                "gate.striped_over_accessor.t1",
                STRIPED_OVER_ACCESSOR);
        row(
                "gate, single / slot, contended",
                ">= " + Format.fixed(0, SINGLE_OVER_SLOT) + "x",
                Format.times(best("gate.single_over_slot.t")),
                best("gate.single_over_slot.t") >= SINGLE_OVER_SLOT);
        flat("gate, slot, most / least of 1 to 64 threads", "gate.slot.t");
        flat("gate, accessor, most / least of 1 to 64 threads", "gate.accessor.t");
    }

    private void heaps(boolean quick) {
        atMost("read over a copy, caches", "heap.read_over_copy_ns", READ_NANOS, "ns");
        atMost("read over a copy, memory", "heap.read_over_copy_cold_ns", READ_NANOS, "ns");
        atLeast("throughput compacting / at rest", "heap.compacting_over_idle", COMPACTING);
        atMost("longest wait for a copy", "heap.wait_max_us", WAIT_MICROS, "us");
        atMost("longest wait while a reader stalls", "heap.stalled.wait_max_us", WAIT_MICROS, "us");
        if (!quick) {
            atLeast("live / RSS after A, B and C", "heap.live_over_rss", LIVE);
            atLeast("live / RSS after D", "heap.live_over_rss.d", LIVE_TINY);
            atMost("RSS / live, 95 % deleted", "heap.rss_over_live.deleted95", DELETED95, "x");
            row(
                    "cycles out of memory",
                    ">= " + Format.fixed(0, CYCLES),
                    Format.fixed(0, value("evacuation.oom_cycles")),
                    value("evacuation.oom_cycles") >= CYCLES);
        }
        row(
                "objects lost in " + Format.fixed(0, value("evacuation.oom_cycles")) + " of them",
                "0",
                Format.fixed(0, value("evacuation.lost_objects")),
                value("evacuation.lost_objects") == 0);
    }

    private void atLeast(String what, String name, double goal) {
        double value = value(name);
        row(what, ">= " + number(goal, "x"), number(value, "x"), value >= goal);
    }

    private void atMost(String what, String name, double goal, String unit) {
        double value = value(name);
        row(what, "<= " + number(goal, unit), number(value, unit), value <= goal);
    }

    private void flat(String what, String prefix) {
        double ratio = nanos(prefix).max().orElseThrow() / nanos(prefix).min().orElseThrow();
        row(what, "<= " + number(FLAT, "x"), number(ratio, "x"), ratio <= FLAT);
    }

    private DoubleStream nanos(String prefix) {
        return matching(prefix).mapToDouble(Metric::value);
    }

    /** Where there are more threads than one. */
    private double best(String prefix) {
        return matching(prefix)
                .filter(metric -> !metric.name().endsWith(".t1"))
                .mapToDouble(Metric::value)
                .max()
                .orElseThrow();
    }

    private Stream<Metric> matching(String prefix) {
        return metrics.stream().filter(metric -> metric.name().startsWith(prefix));
    }

    private double value(String name) {
        return metrics.stream()
                .filter(metric -> metric.name().equals(name))
                .findFirst()
                .orElseThrow()
                .value();
    }

    private void row(String what, String goal, String value, boolean reached) {
        list.add(new Goal(what, goal, value, reached));
    }

    private static String number(double value, String unit) {
        String space = unit.equals("x") ? "" : " ";
        int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
        return String.format(Locale.ROOT, "%." + digits + "f", value) + space + unit;
    }
}
