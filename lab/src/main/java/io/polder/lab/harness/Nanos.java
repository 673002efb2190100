package io.polder.lab.harness;

import org.HdrHistogram.Histogram;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;

/** Histograms of nanoseconds, all of the same range, so that they can be added up. */
public final class Nanos {
    /** Longer ones count as that long. */
    static final long MAX = TimeUnit.SECONDS.toNanos(100);

    private static final int DIGITS = 3;

    private Nanos() {}

    /** An empty one. */
    public static Histogram histogram() {
        return new Histogram(MAX, DIGITS);
    }

    /** Adds a value. */
    public static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.clamp(nanos, 1, MAX));
    }

    /** A histogram in one word. */
    static String encode(Histogram histogram) {
        ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(bytes);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(bytes.array(), length));
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws IllegalArgumentException if it is something else
     */
    static Histogram decode(String encoded) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(encoded));
            return Histogram.decodeFromCompressedByteBuffer(bytes, 0);
        } catch (DataFormatException | RuntimeException e) {
            throw new IllegalArgumentException("a histogram is encoded: " + encoded, e);
        }
    }
}
