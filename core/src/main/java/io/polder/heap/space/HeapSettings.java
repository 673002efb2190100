package io.polder.heap.space;

import io.polder.heap.HeapOptions;

/**
 * How a heap works.
 *
 * @param options what its user has chosen
 * @param gate what threads pass
 * @param outOfMemory what is done when there is no room for a copy
 * @param failEvery the how-manieth attempt to make room for a copy fails, each time; 0 for none
 * @param reserves whether to keep a page in reserve, because the pool has a limit
 */
public record HeapSettings(
        HeapOptions options,
        GateKind gate,
        OutOfMemoryPolicy outOfMemory,
        int failEvery,
        boolean reserves) {

    /** As users get it. */
    public static HeapSettings of(HeapOptions options) {
        return new HeapSettings(options, GateKind.SLOT, OutOfMemoryPolicy.PIN, 0, false);
    }

    public HeapSettings withGate(GateKind kind) {
        return new HeapSettings(options, kind, outOfMemory, failEvery, reserves);
    }

    public HeapSettings withOutOfMemory(OutOfMemoryPolicy policy) {
        return new HeapSettings(options, gate, policy, failEvery, reserves);
    }

    public HeapSettings withFailEvery(int attempts) {
        return new HeapSettings(options, gate, outOfMemory, attempts, reserves);
    }

    public HeapSettings withReserve(boolean keeps) {
        return new HeapSettings(options, gate, outOfMemory, failEvery, keeps);
    }
}
