package io.polder.heap.space;

import io.polder.heap.HeapOptions;
import io.polder.memory.ProcessFence;

/**
 * How a heap works.
 *
 * @param options what its user has chosen
 * @param fence of its gates
 * @param failEvery the how-manieth attempt to make room for a copy fails, each time; 0 for none
 * @param reserves whether to keep a page in reserve, because the pool has a limit; where the heap
 *     has one, it does in any case
 * @param number which heap of its pool it is, from 1, for events; 0 if nobody numbers it
 * @param threads what compacts it
 */
public record HeapSettings(
        HeapOptions options,
        Runnable fence,
        int failEvery,
        boolean reserves,
        int number,
        HeapThreads threads) {

    /** As users get it. */
    public static HeapSettings of(HeapOptions options) {
        return new HeapSettings(
                options, ProcessFence.ofThisProcess(), 0, false, 0, HeapThreads.fresh());
    }

    public HeapSettings withFailEvery(int attempts) {
        return new HeapSettings(options, fence, attempts, reserves, number, threads);
    }

    public HeapSettings withReserve(boolean keeps) {
        return new HeapSettings(options, fence, failEvery, keeps, number, threads);
    }

    public HeapSettings withNumber(int which) {
        return new HeapSettings(options, fence, failEvery, reserves, which, threads);
    }

    /** The same with threads that other heaps have as well. */
    public HeapSettings withThreads(HeapThreads shared) {
        return new HeapSettings(options, fence, failEvery, reserves, number, shared);
    }
}
