package io.polder.bench;

import io.polder.memory.MemoryProvider;

import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Is it cheaper to zero granules that were written, or to uncommit them, from which size on? Each
 * call is one life of a page.
 *
 * <p>Run: {@code bench/run CleaningGranules}
 */
public class CleaningGranules extends LivesOfMemory {
    private static final long MIB = 1 << 20;

    /** The size of the page, in MiB. */
    @Param({"2", "8", "32", "128"})
    public long mib;

    /** Whether the system is asked for huge pages. */
    @Param({"false", "true"})
    public boolean huge;

    /** Creates the state of one benchmark thread. */
    public CleaningGranules() {}

    /** Reserves memory. */
    @Setup
    public void reserve() {
        reserve(mib * MIB, MemoryProvider.REMAP_GRANULE_BYTES, huge, mib * MIB);
    }
}
