package io.polder.lab.experiments.netty;

import io.polder.lab.report.Format;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;

import java.util.ArrayList;
import java.util.List;

/** What buffers and the server are to reach, and whether they did. */
final class NettyGoals {
    private static final double OVER_ADAPTIVE = 1.5;
    private static final double OVER_POOLED = 2;
    private static final double NEVER_SLOWER = 1;

    /** Of what is left of adaptive and pooled, whichever is less. */
    private static final double IDLE = 4;

    private final List<Metric> metrics;
    private final List<Goal> list = new ArrayList<>();

    private NettyGoals(List<Metric> metrics) {
        this.metrics = metrics;
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
        return Metric.value(metrics, name);
    }

    private void atLeast(String what, double value, double goal) {
        String least = Format.text(">= %.1fx", goal);
        list.add(new Goal(what, least, Format.times(value), value >= goal));
    }
}
