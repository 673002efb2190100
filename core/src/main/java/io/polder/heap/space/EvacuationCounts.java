package io.polder.heap.space;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** What evacuation has done since the heap was opened. Thread-safe. */
final class EvacuationCounts {
    final LongAdder copiedObjects = new LongAdder();
    final LongAdder copiedBytes = new LongAdder();

    /** Of these, by threads that wanted to change an object. */
    final LongAdder helpedObjects = new LongAdder();

    /** How often an object was to stay where it is for a cycle. */
    final LongAdder pinnedObjects = new LongAdder();

    /** How often there was no room for a copy. */
    final LongAdder refusedCopies = new LongAdder();

    /** How often a thread has waited, before it changed an object, for copies of other threads. */
    final LongAdder waitsForCopies = new LongAdder();

    /** How long one use of an object waited, or copied, because of evacuation. */
    final LongAccumulator longestWaitNanos = new LongAccumulator(Math::max, 0);

    final AtomicLong cycles = new AtomicLong();
    final AtomicLong outOfMemoryCycles = new AtomicLong();
    final AtomicLong givenBackBytes = new AtomicLong();
    final AtomicLong workNanos = new AtomicLong();
}
