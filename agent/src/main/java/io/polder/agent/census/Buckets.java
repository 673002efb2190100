package io.polder.agent.census;

import java.util.ArrayList;
import java.util.List;

/**
 * How arenas are sorted: by bytes, by number of allocations, by lifetime. Bucket 0 of the first two
 * is for arenas that allocate nothing, and the last one of each is open upwards.
 */
final class Buckets {
    /** 0, 1-7, 8-15, 16-31, and so on by powers of two, up to 1 GiB and more. */
    static final int SIZES = 30;

    /** 0, 1, 2, 3-4, 5-8, and so on, up to more than 1024. */
    static final int ALLOCATIONS = 13;

    /** Under 1 us, under 10 us, and so on, up to 10 s and more. */
    static final int LIFETIMES = 9;

    private static final String[] UNITS = {"", "K", "M", "G"};
    private static final String[] LIFETIME_NAMES = {
        "< 1 us",
        "< 10 us",
        "< 100 us",
        "< 1 ms",
        "< 10 ms",
        "< 100 ms",
        "< 1 s",
        "< 10 s",
        "10 s.."
    };

    private Buckets() {}

    static int ofSize(long bytes) {
        if (bytes < 8) {
            return bytes == 0 ? 0 : 1;
        }
        return Math.min(SIZES - 1, 62 - Long.numberOfLeadingZeros(bytes));
    }

    static int ofAllocations(long allocations) {
        if (allocations < 2) {
            return (int) allocations;
        }
        return Math.min(ALLOCATIONS - 1, 65 - Long.numberOfLeadingZeros(allocations - 1));
    }

    static int ofLifetime(long nanos) {
        int bucket = 0;
        for (long limit = 1000; bucket < LIFETIMES - 1 && nanos >= limit; limit *= 10) {
            bucket++;
        }
        return bucket;
    }

    /** The least number of bytes in a bucket. */
    static long sizeMin(int bucket) {
        return bucket < 2 ? bucket : 8L << (bucket - 2);
    }

    static List<String> sizeNames() {
        List<String> names = new ArrayList<>();
        for (int bucket = 0; bucket < SIZES - 1; bucket++) {
            long min = sizeMin(bucket);
            long max = sizeMin(bucket + 1) - 1;
            names.add(min == max ? binary(min) : binary(min) + "-" + upTo(max));
        }
        names.add(binary(sizeMin(SIZES - 1)) + "..");
        return names;
    }

    /** The least number of allocations in a bucket. */
    static long allocationsMin(int bucket) {
        return bucket < 3 ? bucket : (1L << (bucket - 2)) + 1;
    }

    static List<String> allocationNames() {
        List<String> names = new ArrayList<>();
        for (int bucket = 0; bucket < ALLOCATIONS - 1; bucket++) {
            long min = allocationsMin(bucket);
            long max = allocationsMin(bucket + 1) - 1;
            names.add(min == max ? Long.toString(min) : min + "-" + max);
        }
        names.add(allocationsMin(ALLOCATIONS - 1) + "..");
        return names;
    }

    /** The least number of nanoseconds in a bucket. */
    static long lifetimeMin(int bucket) {
        long min = bucket == 0 ? 0 : 1000;
        for (int i = 1; i < bucket; i++) {
            min *= 10;
        }
        return min;
    }

    static List<String> lifetimeNames() {
        return List.of(LIFETIME_NAMES);
    }

    /** A power of two, or a small number. */
    private static String binary(long bytes) {
        int unit = 0;
        long rest = bytes;
        while (rest >= 1024) {
            rest >>= 10;
            unit++;
        }
        return rest + UNITS[unit];
    }

    /** One less than a power of two: 511; from there on the next bucket's least: 2K. */
    private static String upTo(long bytes) {
        return bytes < 1023 ? Long.toString(bytes) : binary(bytes + 1);
    }
}
