package io.polder.arena.canary;

import io.polder.arena.SharedFirstChunkTest;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** A first chunk that is taken without a lock: a chunk and its top are of different threads. */
@JCStressTest
@JCStressMeta(SharedFirstChunkTest.class)
@State
public class UnguardedFirstChunkCanary {
    private static final int CHUNK_BYTES = 64;

    private final AtomicInteger chunks = new AtomicInteger();
    private final AtomicIntegerArray tops = new AtomicIntegerArray(2);
    private volatile int chunk = -1;

    /** Allocates. */
    @Actor
    public void first(III_Result r) {
        r.r1 = allocate();
    }

    /** Allocates. */
    @Actor
    public void second(III_Result r) {
        r.r2 = allocate();
    }

    private int allocate() {
        if (chunk < 0) {
            chunk = chunks.getAndIncrement();
        }
        int mine = chunk;
        return mine * CHUNK_BYTES + tops.getAndAdd(mine, 16);
    }

    /** Counts. */
    @Arbiter
    public void count(III_Result r) {
        r.r3 = chunks.get();
    }
}
