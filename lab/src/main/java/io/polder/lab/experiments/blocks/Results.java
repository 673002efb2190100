package io.polder.lab.experiments.blocks;

import io.polder.lab.experiments.blocks.MemoryJvm.Memory;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.Quartiles;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/**
 * What was found.
 *
 * @param libraries where malloc came from
 * @param times of each contender, of all rounds
 * @param memory of each workload that was watched, by contender: one of each round
 */
record Results(
        List<MallocLibrary> libraries,
        Map<Contender, Findings> times,
        Map<String, Map<Contender, List<Findings>>> memory) {
    /** This much may be a process's own. */
    private static final double PAGE_BYTES = 4096;

    /** Nanoseconds of an operation. */
    double nanos(Contender contender, String workload) {
        return found(times, contender).median(workload);
    }

    /** All samples of the same. */
    double[] samples(Contender contender, String workload) {
        return found(times, contender).samples(workload);
    }

    /** What was found of a contender's memory, in each round. */
    List<Findings> rounds(Contender contender, String workload) {
        return found(found(memory, workload), contender);
    }

    /** The faster way to call a library, in a workload. */
    Contender better(MallocLibrary library, String workload) {
        Contender plain = new Contender(library, Contender.Call.PLAIN);
        Contender critical = new Contender(library, Contender.Call.CRITICAL);
        return nanos(plain, workload) < nanos(critical, workload) ? plain : critical;
    }

    /** How many times Polder's time malloc takes, the better way to call it, round by round. */
    Quartiles timeRatio(MallocLibrary library, String workload) {
        return Quartiles.ofRatios(
                samples(better(library, workload), workload), samples(Contender.POLDER, workload));
    }

    /** What the resident set grew by until the peak, of each round; at least a page. */
    double[] peakGrowth(Contender contender, String workload) {
        return growth(contender, workload, round -> round.median(MemoryJvm.PEAK));
    }

    /** What it had grown by at a moment of the burst, of each round; at least a page. */
    double[] burstGrowth(Contender contender, String stage) {
        return growth(contender, Burst.ID, round -> at(round, stage).rssBytes());
    }

    private double[] growth(
            Contender contender, String workload, ToDoubleFunction<Findings> rssBytes) {
        return rounds(contender, workload).stream()
                .mapToDouble(round -> rssBytes.applyAsDouble(round) - round.median(MemoryJvm.BASE))
                .map(grown -> Math.max(PAGE_BYTES, grown))
                .toArray();
    }

    /** The samples of a contender's burst in the first round. */
    Findings firstBurst(Contender contender) {
        return rounds(contender, Burst.ID).getFirst();
    }

    Quartiles peakRatio(MallocLibrary library, String workload) {
        return Quartiles.ofRatios(
                peakGrowth(weighed(library), workload), peakGrowth(Contender.POLDER, workload));
    }

    Quartiles idleRatio(MallocLibrary library) {
        String stage = Burst.idle(Burst.COMPARED_SECOND);
        return Quartiles.ofRatios(
                burstGrowth(weighed(library), stage), burstGrowth(Contender.POLDER, stage));
    }

    /** The most that Polder had committed when all was free and trimmed. */
    double finalCommittedBytes() {
        double most = found(times, Contender.POLDER).max(TimeJvm.COMMITTED);
        for (Map<Contender, List<Findings>> each : memory.values()) {
            for (Findings round : found(each, Contender.POLDER)) {
                most = Math.max(most, round.max(TimeJvm.COMMITTED));
            }
        }
        return most;
    }

    /** Java heap for an operation, in the worst workload but those of large blocks. */
    double heapBytesPerOperation() {
        return Workload.ALL.stream()
                .filter(workload -> workload.id().equals(Workload.PAIR))
                .flatMap(workload -> workload.threads().stream().map(workload::with))
                .mapToDouble(with -> found(times, Contender.POLDER).median(TimeJvm.heap(with)))
                .max()
                .orElseThrow();
    }

    /** Java heap for each byte committed, at the peak of a burst. */
    double metadata() {
        return median(
                rounds(Contender.POLDER, Burst.ID).stream()
                        .mapToDouble(round -> round.median(MemoryJvm.METADATA))
                        .toArray());
    }

    static Contender weighed(MallocLibrary library) {
        return new Contender(library, Contender.Call.CRITICAL);
    }

    static double median(double[] values) {
        return Quartiles.of(values).median();
    }

    private static Memory at(Findings round, String stage) {
        return round.points(Memory.class).stream()
                .filter(memory -> memory.stage().equals(stage))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such moment: " + stage));
    }

    private static <K, V> V found(Map<K, V> map, K key) {
        return Objects.requireNonNull(map.get(key), () -> "not measured: " + key);
    }
}
