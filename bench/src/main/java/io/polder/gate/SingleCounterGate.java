package io.polder.gate;

/**
 * A gate with one counter that all threads share: two atomic updates of one word for a critical
 * section, for which threads queue up. To compare with.
 */
public final class SingleCounterGate extends CounterGate {
    /** An open gate. */
    public SingleCounterGate() {
        super(new Parts(1));
    }
}
