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
 * @param number which heap of its pool it is, from 1, for events; 0 if nobody numbers it
 */
public record HeapSettings(
        HeapOptions options,
        GateKind gate,
        OutOfMemoryPolicy outOfMemory,
        int failEvery,
        boolean reserves,
        int number) {

    /** As users get it. */
    public static HeapSettings of(HeapOptions options) {
        return new HeapSettings(options, GateKind.SLOT, OutOfMemoryPolicy.PIN, 0, false, 0);
    }

    public HeapSettings withGate(GateKind type) {
        return new HeapSettings(options, type, outOfMemory, failEvery, reserves, number);
    }

    public HeapSettings withOutOfMemory(OutOfMemoryPolicy policy) {
        return new HeapSettings(options, gate, policy, failEvery, reserves, number);
    }

    public HeapSettings withFailEvery(int attempts) {
        return new HeapSettings(options, gate, outOfMemory, attempts, reserves, number);
    }

    public HeapSettings withReserve(boolean keeps) {
        return new HeapSettings(options, gate, outOfMemory, failEvery, keeps, number);
    }

    public HeapSettings withNumber(int which) {
        return new HeapSettings(options, gate, outOfMemory, failEvery, reserves, which);
    }
}
