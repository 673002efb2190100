package io.polder.lab.experiments.confined;

import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;

/**
 * A workload with what was measured of it, in one JVM or several. Their rounds are pooled: what the
 * compiler makes of a workload may differ from one JVM to the next, and belongs to the spread.
 *
 * @param workload what was done
 * @param findings of all JVMs: see {@link ConfinedJvm}
 */
record Measurement(Workload workload, Findings findings) {
    /** Time of one operation, in nanoseconds. */
    Quartiles nanos(Contender contender) {
        return findings.quartiles(name(contender.name()));
    }

    /** How many times the contender's time is Polder's, round by round. */
    Quartiles ratio(Contender contender) {
        return findings.ratio(name(contender.name()), name(Contender.POLDER.name()));
    }

    /** Rounds of all JVMs together. */
    int rounds() {
        return findings.samples(name(Contender.POLDER.name())).length;
    }

    /** Bytes of Java heap that one operation on Polder takes, in the worst JVM. */
    double heapBytesPerOp() {
        return findings.max(name(ConfinedJvm.HEAP));
    }

    /** Whether all that was measured had been compiled, in every JVM. */
    boolean isCompiled() {
        return findings.sum(name(ConfinedJvm.UNCOMPILED)) == 0;
    }

    private String name(String what) {
        return ConfinedJvm.sampleName(workload, what);
    }
}
