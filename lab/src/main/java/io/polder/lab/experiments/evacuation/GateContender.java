package io.polder.lab.experiments.evacuation;

import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Format;
import io.polder.tools.html.Term;

import java.util.List;

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

    /** Two of which one is so many times as slow as the other. */
    record Pair(GateContender one, GateContender other) {
        /** Those of the table and the metrics. */
        static final List<Pair> ALL =
                List.of(
                        new Pair(STRIPED, SLOT),
                        new Pair(SINGLE, SLOT),
                        new Pair(STRIPED, ACCESSOR));

        /** How many times as slow, with so many threads. */
        Quartiles ratio(Findings gates, int threads) {
            return gates.ratio(one.samples(threads), other.samples(threads));
        }
    }

    /** Its name in metrics, in findings and in the table. */
    String id() {
        return Format.id(this);
    }

    /** The same, and what it is. */
    Term term() {
        return new Term(
                id(),
                switch (this) {
                    case SINGLE -> "A gate with one counter for all threads.";
                    case STRIPED -> "A gate with 64 counters, each for some of the threads.";
                    case SLOT ->
                            "A gate with a slot for each thread, which looks it up each time; the"
                                    + " library’s heaps have it.";
                    case ACCESSOR -> "The same gate, by a thread that has looked its slot up once.";
                });
    }

    /** Name of its samples with so many threads. */
    String samples(int threads) {
        return id() + ".t" + threads;
    }
}
