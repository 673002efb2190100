package io.polder.heap.space;

import io.polder.heap.HeapOptions;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** One of the ways a heap can be built. None of them compacts by itself. */
record HeapVariant(GateKind gate, OutOfMemoryPolicy policy, int failEvery) {
    /** What users get, but for compaction. */
    static final HeapVariant USUAL = new HeapVariant(GateKind.SLOT, OutOfMemoryPolicy.PIN, 0);

    /** All gates and policies, with copies that succeed, and with every second one failed. */
    static Stream<HeapVariant> all() {
        return Stream.concat(succeeding(), failing());
    }

    /**
     * Each gate and policy, with copies that succeed and with some that fail, but not each pair.
     */
    static Stream<HeapVariant> some() {
        return Stream.concat(
                policies().flatMap(each -> Stream.of(each, each.failingEvery(2))),
                Stream.of(
                        new HeapVariant(GateKind.SINGLE, OutOfMemoryPolicy.CLOSE, 2),
                        new HeapVariant(GateKind.STRIPED, OutOfMemoryPolicy.PIN, 2)));
    }

    /** All gates and policies. */
    static Stream<HeapVariant> succeeding() {
        return with(0);
    }

    /** All gates and policies, every second copy failing for want of memory. */
    static Stream<HeapVariant> failing() {
        return with(2);
    }

    /** Both policies, on the gate that users get. */
    static Stream<HeapVariant> policies() {
        return Stream.of(OutOfMemoryPolicy.values())
                .map(policy -> new HeapVariant(GateKind.SLOT, policy, 0));
    }

    private static Stream<HeapVariant> with(int failEvery) {
        List<HeapVariant> variants = new ArrayList<>();
        for (GateKind gate : GateKind.values()) {
            for (OutOfMemoryPolicy policy : OutOfMemoryPolicy.values()) {
                variants.add(new HeapVariant(gate, policy, failEvery));
            }
        }
        return variants.stream();
    }

    /** The same with copies that fail: each for 1, every second for 2, none for 0. */
    HeapVariant failingEvery(int copies) {
        return new HeapVariant(gate, policy, copies);
    }

    /** How many moved objects a test waits for: a cycle whose gate is closed moves a few only. */
    long moved(int usual) {
        return failEvery != 0 && policy == OutOfMemoryPolicy.CLOSE ? usual / 20 : usual;
    }

    HeapSettings settings() {
        return settings(HeapOptions.DEFAULT.withCompactionShare(0));
    }

    HeapSettings settings(HeapOptions options) {
        return HeapSettings.of(options)
                .withGate(gate)
                .withOutOfMemory(policy)
                .withFailEvery(failEvery);
    }
}
