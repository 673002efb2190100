package io.polder.heap.space;

import io.polder.gate.Gate;
import io.polder.gate.GateFence;
import io.polder.gate.SlotGate;
import io.polder.heap.HeapOptions;

import java.util.function.Supplier;

/**
 * How a heap works.
 *
 * @param options what its user has chosen
 * @param gates makes what threads pass: the gate of the product, or one to compare it with
 * @param failEvery the how-manieth attempt to make room for a copy fails, each time; 0 for none
 * @param reserves whether to keep a page in reserve, because the pool has a limit
 * @param number which heap of its pool it is, from 1, for events; 0 if nobody numbers it
 */
public record HeapSettings(
        HeapOptions options,
        Supplier<? extends Gate> gates,
        int failEvery,
        boolean reserves,
        int number) {

    /** As users get it. */
    public static HeapSettings of(HeapOptions options) {
        return new HeapSettings(options, () -> new SlotGate(GateFence.choose()), 0, false, 0);
    }

    /** The same with gates of another kind. */
    public HeapSettings withGates(Supplier<? extends Gate> others) {
        return new HeapSettings(options, others, failEvery, reserves, number);
    }

    public HeapSettings withFailEvery(int attempts) {
        return new HeapSettings(options, gates, attempts, reserves, number);
    }

    public HeapSettings withReserve(boolean keeps) {
        return new HeapSettings(options, gates, failEvery, keeps, number);
    }

    public HeapSettings withNumber(int which) {
        return new HeapSettings(options, gates, failEvery, reserves, which);
    }
}
