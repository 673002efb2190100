package io.polder.heap.space;

import io.polder.heap.EvacuationFailurePolicy;
import io.polder.heap.HeapOptions;

import java.util.stream.Stream;

/** One of the ways a heap can be built. None of them compacts by itself. */
record HeapVariant(EvacuationFailurePolicy policy, int failEvery) {
    /** What users get, but for compaction. */
    static final HeapVariant USUAL = new HeapVariant(EvacuationFailurePolicy.PIN, 0);

    /** Both policies, with copies that succeed, and with every second one failed. */
    static Stream<HeapVariant> all() {
        return Stream.concat(policies(), failing());
    }

    /** Both policies, every second copy failing for want of memory. */
    static Stream<HeapVariant> failing() {
        return policies().map(each -> each.failingEvery(2));
    }

    /** Both policies. */
    static Stream<HeapVariant> policies() {
        return Stream.of(EvacuationFailurePolicy.values())
                .map(policy -> new HeapVariant(policy, 0));
    }

    /** The same with copies that fail: each for 1, every second for 2, none for 0. */
    HeapVariant failingEvery(int copies) {
        return new HeapVariant(policy, copies);
    }

    /** How many moved objects a test waits for: a cycle whose gate is closed moves a few only. */
    long moved(int usual) {
        return failEvery != 0 && policy == EvacuationFailurePolicy.CLOSE ? usual / 20 : usual;
    }

    HeapSettings settings() {
        return settings(HeapOptions.DEFAULT.withCompactionShare(0));
    }

    HeapSettings settings(HeapOptions options) {
        return HeapSettings.of(options.withEvacuationFailure(policy)).withFailEvery(failEvery);
    }
}
