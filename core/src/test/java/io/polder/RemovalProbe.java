package io.polder;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.polder.memory.JavaHeap;

import java.lang.foreign.Arena;
import java.util.function.LongSupplier;

/**
 * A program for {@link ChildJvm}: prints how many bytes of Java heap an arena takes that does not
 * leave the method that opened it, once that method is compiled.
 */
final class RemovalProbe {
    private static final int CALLS = 10_000;

    private static final int WARM_UPS = 40;

    private static final int ROUNDS = 5;

    private RemovalProbe() {}

    /** Measures three shapes; with an argument, in a JVM that has used everything else before. */
    public static void main(String[] arguments) throws InterruptedException {
        if (arguments.length > 0) {
            RemovalMixture.use();
        }
        System.out.println(
                "one="
                        + bytes(RemovalProbe::one)
                        + " grown="
                        + bytes(RemovalProbe::grown)
                        + " nested="
                        + bytes(RemovalProbe::nested));
    }

    /** The least of a few rounds, since whatever else runs in this thread only adds. */
    static long bytes(LongSupplier use) {
        for (int i = 0; i < WARM_UPS; i++) {
            many(use);
        }
        long least = Long.MAX_VALUE;
        for (int i = 0; i < ROUNDS; i++) {
            long before = JavaHeap.allocatedBytes();
            many(use);
            least = Math.min(least, JavaHeap.allocatedBytes() - before);
        }
        return least / CALLS;
    }

    private static void many(LongSupplier use) {
        long all = 0;
        for (int i = 0; i < CALLS; i++) {
            all ^= use.getAsLong();
        }
        if (all == 1) { // no address
            throw new AssertionError();
        }
    }

    static long one() {
        try (Arena arena = MemoryPool.ofConfined()) {
            return arena.allocate(JAVA_LONG, 4).address();
        }
    }

    /** More than a slab. */
    private static long grown() {
        try (Arena arena = MemoryPool.ofConfined()) {
            return arena.allocate(20_000).address();
        }
    }

    private static long nested() {
        try (Arena first = MemoryPool.ofConfined()) {
            long addresses = first.allocate(JAVA_LONG, 4).address();
            try (Arena second = MemoryPool.ofConfined()) {
                addresses ^= second.allocate(JAVA_LONG, 4).address();
                try (Arena third = MemoryPool.ofConfined()) {
                    addresses ^= third.allocate(JAVA_LONG, 4).address();
                    try (Arena fourth = MemoryPool.ofConfined()) {
                        return addresses ^ fourth.allocate(JAVA_LONG, 4).address();
                    }
                }
            }
        }
    }
}
