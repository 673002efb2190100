package io.polder.lab.confined;

import io.polder.lab.experiment.Quartiles;

import java.util.List;
import java.util.stream.DoubleStream;

/**
 * A workload with what was measured of it, in one JVM or several. Their rounds are pooled: what the
 * compiler makes of a workload may differ from one JVM to the next, and belongs to the spread.
 *
 * @param workload what was done
 * @param jvms complete samples of each JVM, at least one
 */
record Measurement(Workload workload, List<Samples> jvms) {
    /** Copies the list. */
    Measurement {
        jvms = List.copyOf(jvms);
    }

    /** Time of one operation, in nanoseconds. */
    Quartiles nanos(Contender contender) {
        return Quartiles.of(pooled(contender));
    }

    /** How many times the contender's time is Polder's, round by round. */
    Quartiles ratio(Contender contender) {
        return Quartiles.ofRatios(pooled(contender), pooled(Contender.POLDER));
    }

    /** Rounds of all JVMs together. */
    int rounds() {
        return jvms.stream().mapToInt(Samples::rounds).sum();
    }

    /** Bytes of Java heap that one operation on Polder takes, in the worst JVM. */
    double heapBytesPerOp() {
        return jvms.stream().mapToDouble(Samples::heapBytesPerOp).max().orElse(0);
    }

    /** Processors that a JVM got while it measured, on average. */
    double cpuShare() {
        return jvms.stream().mapToDouble(Samples::cpuShare).average().orElse(1);
    }

    private double[] pooled(Contender contender) {
        return jvms.stream()
                .flatMapToDouble(samples -> DoubleStream.of(samples.nanos(contender)))
                .toArray();
    }
}
