package io.polder.bench;

import org.openjdk.jmh.annotations.Fork;

/**
 * What does a confined arena with one allocation cost in a virtual thread?
 *
 * <p>The measured loop itself runs in a virtual thread (JMH's {@code jmh.executor}), so that
 * nothing but the arena is measured: no thread is started, parked or moved.
 *
 * <p>Run: {@code bench/run VirtualThreadAllocation}
 */
@Fork(
        value = 3,
        jvmArgsAppend = {JvmFlags.NATIVE_ACCESS, JvmFlags.UNSAFE_ACCESS, JvmFlags.VIRTUAL_THREADS})
public class VirtualThreadAllocation extends OneAllocation {
    /** Creates the state of one benchmark thread. */
    public VirtualThreadAllocation() {}
}
