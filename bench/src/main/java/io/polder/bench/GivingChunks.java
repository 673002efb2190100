package io.polder.bench;

import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Is it cheaper to uncommit what an owner has used than to zero it, and from which size on? Each
 * call is one life of a chunk.
 *
 * <p>Run: {@code bench/run GivingChunks}
 */
public class GivingChunks extends LivesOfMemory {
    private static final long RESERVED_BYTES = 4 << 20;

    /** How much the owner has used, in bytes. */
    @Param({"4096", "16384", "65536", "131072", "262144", "524288", "1048576", "4194304"})
    public long size;

    /** Creates the state of one benchmark thread. */
    public GivingChunks() {}

    /** Reserves memory in OS pages, as chunks have it. */
    @Setup
    public void reserve() {
        reserve(RESERVED_BYTES, RESERVED_BYTES, false, size);
    }
}
