package io.polder.lab.pages;

import io.polder.lab.machine.Control;

import org.HdrHistogram.Histogram;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;

/**
 * How long takes took, in nanoseconds, by who took what.
 *
 * <p>Not thread-safe: each thread has its own, and they are added up afterwards.
 */
final class Latencies {
    /** Longer ones count as that long. */
    private static final long NANOS_MAX = TimeUnit.SECONDS.toNanos(100);

    private static final int DIGITS = 3;

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
    }

    private final Map<Group, Histogram> histograms = new EnumMap<>(Group.class);

    /** No takes yet. */
    Latencies() {
        for (Group group : Group.values()) {
            histograms.put(group, new Histogram(NANOS_MAX, DIGITS));
        }
    }

    /** Adds a take. */
    void record(Group group, long nanos, boolean undisturbed) {
        long value = Math.clamp(nanos, 1, NANOS_MAX);
        of(group).recordValue(value);
        if (undisturbed) {
            of(Group.UNDISTURBED).recordValue(value);
        }
    }

    /** Adds what a control took after a take. */
    void recordControl(long nanos) {
        of(Group.CONTROL).recordValue(Math.clamp(nanos, 1, NANOS_MAX));
    }

    /** Adds the takes of another one. */
    void add(Latencies other) {
        for (Group group : Group.values()) {
            of(group).add(other.of(group));
        }
    }

    /** Adds the takes of a group that {@link #encode} wrote. */
    void addEncoded(Group group, String encoded) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(encoded));
            of(group).add(Histogram.decodeFromCompressedByteBuffer(bytes, 0));
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("a histogram is encoded: " + encoded, e);
        }
    }

    /** A group in one word. */
    String encode(Group group) {
        Histogram histogram = of(group);
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(bytes);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
    }

    /** The takes of a group. */
    Histogram of(Group group) {
        return Objects.requireNonNull(histograms.get(group));
    }

    /** All takes. */
    Histogram all() {
        Histogram all = new Histogram(NANOS_MAX, DIGITS);
        Group.TAKERS.forEach(group -> all.add(of(group)));
        return all;
    }
}
