package io.polder.lab.experiments.evacuation;

import java.util.Locale;

/** A way through a gate. */
enum GateContender {
    /** One counter for all threads. */
    SINGLE,
    /** 64 counters. */
    STRIPED,
    /** A slot for each thread, looked up each time. */
    SLOT,
    /** The same, looked up once. */
    ACCESSOR;

    /** Its name in metrics, in findings and in the table. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Name of its samples with so many threads. */
    String samples(int threads) {
        return id() + ".t" + threads;
    }
}
