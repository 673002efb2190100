package io.polder.lab.experiments.elasticity;

import io.polder.lab.harness.CgroupMemory;
import io.polder.memory.ProcessCheck;

import java.util.List;

/**
 * What a process has and was asked for at one moment. A number that nobody knows is {@value
 * #UNKNOWN}.
 *
 * @param stage where the workload was
 * @param loadNanos time of loading so far, without the sampling
 * @param unloadNanos time of unloading so far, with what was spent on asking memory back
 * @param cpuNanos of processors that went into both so far
 * @param usedBytes that living owners asked for
 * @param committedBytes as far as the contender knows
 * @param rssBytes of the process, exact
 * @param cgroupBytes of the control group the process is in
 * @param maps mappings of the process
 */
record Sample(
        Stage stage,
        long loadNanos,
        long unloadNanos,
        long cpuNanos,
        long usedBytes,
        long committedBytes,
        long rssBytes,
        long cgroupBytes,
        long maps) {
    /** Stands for a number that nobody knows. */
    static final long UNKNOWN = -1;

    /** The numbers' names, in the order of {@link #numbers}, as files of samples have them. */
    static final List<String> NUMBERS =
            List.of("load_ns", "unload_ns", "cpu_ns", "used", "committed", "rss", "cgroup", "maps");

    /** Looks at this process. */
    static Sample take(
            Stage stage,
            long loadNanos,
            long unloadNanos,
            long cpuNanos,
            long usedBytes,
            long committedBytes) {
        return new Sample(
                stage,
                loadNanos,
                unloadNanos,
                cpuNanos,
                usedBytes,
                committedBytes,
                ProcessCheck.rssBytes().orElse(UNKNOWN),
                CgroupMemory.currentBytes().orElse(UNKNOWN),
                ProcessCheck.count().orElse((int) UNKNOWN));
    }

    /** The numbers, in the order of {@link #NUMBERS}. */
    List<Long> numbers() {
        return List.of(
                loadNanos,
                unloadNanos,
                cpuNanos,
                usedBytes,
                committedBytes,
                rssBytes,
                cgroupBytes,
                maps);
    }
}
