package io.polder.gate;

/**
 * A gate with {@value #STRIPES} counters, apart from each other: two atomic updates for a critical
 * section, of a word that few threads share. Every wait looks at all of them.
 */
public final class StripedGate extends CounterGate {
    /** As many as threads of a large machine can use at the same time without meeting too often. */
    static final int STRIPES = 64;

    /** An open gate. */
    public StripedGate() {
        super(new Parts(STRIPES));
    }
}
