package io.polder.lab.experiments.netty;

import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What buffers and the server are to reach, and whether they did. */
final class NettyGoals {
    private static final double OVER_ADAPTIVE = 1.5;
    private static final double OVER_POOLED = 2;
    private static final double NEVER_SLOWER = 1;

    /** Of what is left of adaptive and pooled, whichever is less. */
    private static final double IDLE = 4;

    private final Map<String, Double> values;
    private final List<Goal> list = new ArrayList<>();

    private NettyGoals(List<Metric> metrics) {
        values = metrics.stream().collect(Collectors.toMap(Metric::name, Metric::value));
    }

    /** All of them. */
    static List<Goal> list(List<Metric> metrics) {
        NettyGoals goals = new NettyGoals(metrics);
        for (BufferPattern pattern : BufferPattern.values()) {
            for (int threads : Scale.Buffers.THREADS) {
                for (Contender other : Contender.OTHERS_OF_SERVERS) {
                    goals.atLeast(
                            pattern.title() + ", " + threads(threads) + ", " + other.id(),
                            goals.value(NettyMetrics.time(pattern, threads, other)),
                            goal(pattern, other));
                }
            }
        }
        goals.atLeast(
                "requests per second, of adaptive's",
                goals.value(NettyMetrics.REQUESTS + Contender.ADAPTIVE.id()),
                NEVER_SLOWER);
        goals.atLeast(
                "RSS at idle, the better of theirs",
                Contender.OTHERS_OF_SERVERS.stream()
                        .mapToDouble(other -> goals.value(NettyMetrics.IDLE + other.id()))
                        .min()
                        .orElseThrow(),
                IDLE);
        return goals.list;
    }

    static double goal(BufferPattern pattern, Contender other) {
        if (!pattern.isSmall()) {
            return NEVER_SLOWER;
        }
        return other == Contender.ADAPTIVE ? OVER_ADAPTIVE : OVER_POOLED;
    }

    static String threads(int threads) {
        return threads == 1 ? "1 thread" : threads + " threads";
    }

    private double value(String name) {
        Double value = values.get(name);
        if (value == null) {
            throw new AssertionError("a goal is of a metric: name=" + name);
        }
        return value;
    }

    private void atLeast(String what, double value, double goal) {
        list.add(
                new Goal(
                        what,
                        String.format(Locale.ROOT, ">= %.1fx", goal),
                        times(value),
                        value >= goal));
    }

    static String times(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2fx" : "%.1fx", value);
    }
}
