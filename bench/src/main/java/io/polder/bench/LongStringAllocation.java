package io.polder.bench;

import org.openjdk.jmh.annotations.Param;

/**
 * What does it cost to pass a Java string to native code that is about as long as a slab, or much
 * longer?
 *
 * <p>The strings are ASCII. None of these arenas needs to clear memory for them.
 *
 * <p>Run: {@code bench/run LongStringAllocation}
 */
public class LongStringAllocation extends StringBenchmark {
    /** Length of the string in characters. */
    @Param({"4000", "7000", "9000", "12000", "20000", "64000", "300000", "2000000"})
    public int length;

    /** Creates the state of one benchmark thread. */
    public LongStringAllocation() {}

    @Override
    int length() {
        return length;
    }
}
