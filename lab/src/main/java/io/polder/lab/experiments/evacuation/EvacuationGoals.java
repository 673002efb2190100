package io.polder.lab.experiments.evacuation;

import io.polder.lab.report.Format;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/** What gates and heaps are to reach, and whether they did. */
final class EvacuationGoals {
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
        atLeast("gate, striped / slot, one thread", "gate.striped_over_slot.t1", 5);
        atLeast("gate, striped / accessor, one thread", "gate.striped_over_accessor.t1", 10);
        double contended = values("gate.single_over_slot.t").skip(1).max().orElseThrow();
        list.add(
                new Goal(
                        "gate, single / slot, contended",
                        ">= 20x",
                        Format.times(contended),
                        contended >= 20));
        flat("gate, slot, most / least of 1 to 64 threads", "gate.slot.t");
        flat("gate, accessor, most / least of 1 to 64 threads", "gate.accessor.t");
    }

    private void heaps(boolean quick) {
        atMost("read over a copy, caches", "heap.read_over_copy_ns", 10, " ns");
        atMost("read over a copy, memory", "heap.read_over_copy_cold_ns", 10, " ns");
        atMost("get over a copy, 64 B in the caches", "heap.get_over_copy_ns", 6, " ns");
        atLeast("throughput compacting / at rest", "heap.compacting_over_idle", 0.75);
        atMost("longest wait for a copy", "heap.wait_max_us", 500, " us");
        atMost("longest wait while a reader stalls", "heap.stalled.wait_max_us", 500, " us");
        double cycles = value("evacuation.oom_cycles");
        if (!quick) {
            atLeast("live / RSS after A, B and C", "heap.live_over_rss", 0.85);
            atLeast("live / RSS after D", "heap.live_over_rss.d", 0.75);
            atMost("RSS / live, 95 % deleted", "heap.rss_over_live.deleted95", 1.5, "x");
            atMost("random get over a copy, 50 M", "heap.get_random50m_over_copy", 2, "x");
            atMost("longest allocation, 88 % full", "heap.allocate_worst_ms", 20, " ms");
            list.add(Goal.atLeast("cycles out of memory", 10_000, cycles, EvacuationGoals::whole));
        }
        list.add(
                Goal.zero(
                        "objects lost in " + whole(cycles) + " of them",
                        value("evacuation.lost_objects"),
                        EvacuationGoals::whole));
    }

    private void atLeast(String what, String name, double goal) {
        list.add(Goal.atLeast(what, goal, value(name), ratio -> number(ratio, "x")));
    }

    private void atMost(String what, String name, double goal, String unit) {
        list.add(Goal.atMost(what, goal, value(name), figure -> number(figure, unit)));
    }

    private void flat(String what, String prefix) {
        double ratio = values(prefix).max().orElseThrow() / values(prefix).min().orElseThrow();
        list.add(Goal.atMost(what, 2, ratio, times -> number(times, "x")));
    }

    private double value(String name) {
        return Metric.value(metrics, name);
    }

    /** With one thread, then with more and more. */
    private DoubleStream values(String prefix) {
        return metrics.stream()
                .filter(metric -> metric.name().startsWith(prefix))
                .mapToDouble(Metric::value);
    }

    private static String whole(double value) {
        return Format.fixed(0, value);
    }

    private static String number(double value, String unit) {
        return Format.fixed(value < 10 ? 2 : value < 100 ? 1 : 0, value) + unit;
    }
}
