package io.polder.lab.experiments.pages;

import io.polder.lab.harness.Control;
import io.polder.lab.harness.Nanos;
import io.polder.lab.harness.Sampler;
import io.polder.tools.html.Term;

import org.HdrHistogram.Histogram;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How long takes took, in nanoseconds, by who took what.
 *
 * <p>Not thread-safe: each thread has its own, and they are added up afterwards.
 */
final class Latencies {
    /** A group of takes. */
    enum Group {
        /** The mutator's pages for small objects. */
        MUTATOR_SMALL("mutator, small"),
        /** The mutator's pages for medium objects. */
        MUTATOR_MEDIUM("mutator, medium"),
        /** The collector's pages for small objects that it moves. */
        COLLECTOR_SMALL("collector, small"),
        /** Of all these, those during which the kernel let the thread run. */
        UNDISTURBED("undisturbed"),
        /** No takes: a {@link Control} after each of them. */
        CONTROL("control");

        /** Those that make up all takes. */
        static final List<Group> TAKERS = List.of(MUTATOR_SMALL, MUTATOR_MEDIUM, COLLECTOR_SMALL);

        private final String title;

        Group(String title) {
            this.title = title;
        }

        /** In the table. */
        String title() {
            return title;
        }

        /** The same, and what it is. */
        Term term() {
            return new Term(
                    title,
                    switch (this) {
                        case MUTATOR_SMALL -> "Pages that the program takes for objects of 64 KiB.";
                        case MUTATOR_MEDIUM ->
                                "Pages that the program takes for objects of 512 KiB.";
                        case COLLECTOR_SMALL ->
                                "Pages that the second thread takes to copy small objects into.";
                        case UNDISTURBED -> "Takes during which the kernel let the thread run.";
                        case CONTROL ->
                                "32 reads that miss the caches, after each take: what the machine"
                                        + " adds.";
                    });
        }
    }

    private final Map<Group, Histogram> histograms = new EnumMap<>(Group.class);

    /** No takes yet. */
    Latencies() {
        for (Group group : Group.values()) {
            histograms.put(group, Nanos.histogram());
        }
    }

    /** Adds a take. */
    void record(Group group, long nanos, boolean undisturbed) {
        Nanos.record(of(group), nanos);
        if (undisturbed) {
            Nanos.record(of(Group.UNDISTURBED), nanos);
        }
    }

    /** Adds what a control took after a take. */
    void recordControl(long nanos) {
        Nanos.record(of(Group.CONTROL), nanos);
    }

    /** Adds the takes of another one. */
    void add(Latencies other) {
        for (Group group : Group.values()) {
            of(group).add(other.of(group));
        }
    }

    /** Tells all takes. */
    void write(Sampler sampler) {
        histograms.forEach((group, nanos) -> sampler.latencies(group.name(), nanos));
    }

    /** The takes of a group. */
    Histogram of(Group group) {
        return Objects.requireNonNull(histograms.get(group));
    }

    /** All takes. */
    Histogram all() {
        Histogram all = Nanos.histogram();
        Group.TAKERS.forEach(group -> all.add(of(group)));
        return all;
    }
}
