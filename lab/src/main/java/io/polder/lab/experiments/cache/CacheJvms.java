package io.polder.lab.experiments.cache;

import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.MeasuringJvm;
import io.polder.lab.report.Format;

import java.util.ArrayList;
import java.util.List;

/**
 * The JVMs of contenders. Off the heap all have the same small heap, which is touched before; a
 * cache on the heap has G1, and as much heap as its entries may need.
 */
record CacheJvms(Downloads downloads) {
    /** Of all JVMs with a cache that is not on the heap. */
    static final List<String> OFF_HEAP_ARGS =
            List.of(
                    "-XX:+UseSerialGC",
                    "-XX:+AlwaysPreTouch",
                    "-Xms384m",
                    "-Xmx384m",
                    // Of direct buffers, where contenders take their memory from there.
                    "-XX:MaxDirectMemorySize=16g");

    /** Java heap of Caffeine for a limit in bytes: what garbage collectors need to be at ease. */
    private static final long HEAP_PER_LIMIT = 4;

    /** Java heap of Caffeine for an entry of the part on speed. A guess, ample. */
    private static final long HEAP_PER_ENTRY = 400;

    private static final long HEAP_AT_LEAST = 128 << 20;

    /** Besides entries: keys that are drawn, histograms. */
    private static final long HEAP_OF_TRAFFIC = 512 << 20;

    /** Of an error that a table has. */
    private static final int CAUSE_MAX = 300;

    MeasuringJvm ofMemory(Contender contender, Scale scale) throws ExperimentException {
        long heap = Math.max(HEAP_AT_LEAST, HEAP_PER_LIMIT * scale.memory().limit());
        return new MeasuringJvm(MemoryJvm.class, jvmArgs(contender, heap), Scale.timeout());
    }

    MeasuringJvm ofTraffic(Contender contender, int entries) throws ExperimentException {
        long heap = HEAP_OF_TRAFFIC + HEAP_PER_ENTRY * entries;
        return new MeasuringJvm(TrafficJvm.class, jvmArgs(contender, heap), Scale.timeout());
    }

    private List<String> jvmArgs(Contender contender, long heapBytes) throws ExperimentException {
        List<String> all = new ArrayList<>();
        if (contender == Contender.CAFFEINE) {
            all.add("-XX:+UseG1GC");
            all.add(Format.text("-Xmx%dm", heapBytes >> 20));
        } else {
            all.addAll(OFF_HEAP_ARGS);
        }
        all.addAll(contender.jvmArgs());
        all.addAll(downloads.classPath(contender));
        return all;
    }

    /** The error that a JVM has died of, in one line. */
    static String cause(ExperimentException failure) {
        String message = String.valueOf(failure.getMessage());
        List<String> lines = message.lines().map(String::strip).toList();
        List<String> causes =
                lines.stream().filter(line -> line.startsWith("Caused by: ")).toList();
        String text;
        if (!causes.isEmpty()) {
            text = causes.getLast().substring("Caused by: ".length());
        } else {
            text =
                    lines.stream()
                            .filter(line -> line.matches("([a-z]\\w*[.])+[A-Z]\\w+(: .*)?"))
                            .findFirst()
                            .orElse(lines.getLast());
        }
        return text.length() <= CAUSE_MAX ? text : text.substring(0, CAUSE_MAX) + "...";
    }
}
