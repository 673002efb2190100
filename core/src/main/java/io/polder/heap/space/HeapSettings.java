package io.polder.heap.space;

import io.polder.heap.HeapOptions;

/**
 * How a heap works.
 *
 * @param options what its user has chosen
 * @param gate what threads pass
 * @param outOfMemory what is done when there is no room for a copy
 * @param failEvery the how-manieth attempt to make room for a copy fails, each time; 0 for none
 */
public record HeapSettings(
        HeapOptions options, GateKind gate, OutOfMemoryPolicy outOfMemory, int failEvery) {

    /** As users get it. */
    public static HeapSettings of(HeapOptions options) {
        return new HeapSettings(options, GateKind.SLOT, OutOfMemoryPolicy.PIN, 0);
    }

    public HeapSettings withGate(GateKind kind) {
        return new HeapSettings(options, kind, outOfMemory, failEvery);
    }

    public HeapSettings withOutOfMemory(OutOfMemoryPolicy policy) {
        return new HeapSettings(options, gate, policy, failEvery);
    }

    public HeapSettings withFailEvery(int attempts) {
        return new HeapSettings(options, gate, outOfMemory, attempts);
    }
}
