package io.polder.heap.space;

import io.polder.gate.Gate.LongOperation;

import org.jspecify.annotations.Nullable;

/**
 * What changes an object, by a thread inside the access gate: where the object stays meanwhile, as
 * {@link Evacuation} says; in a cycle behind the write barrier.
 *
 * @param <A> what it gets besides numbers
 */
interface Change<A extends @Nullable Object> extends LongOperation<ObjectLookup, A> {
    /** Changes the object at an address. */
    long at(long address, long one, long two, long three, A argument);

    @Override
    default long run(ObjectLookup lookup, long handle, long one, long two, long three, A argument) {
        return lookup.evacuation().underWay
                ? runInCycle(lookup, handle, one, two, three, argument)
                : at(lookup.address(handle), one, two, three, argument);
    }

    private long runInCycle(
            ObjectLookup lookup, long handle, long first, long second, long third, A argument) {
        PinCounts counted = lookup.evacuation().pins;
        long word = lookup.resolveForUpdate(handle, counted);
        try {
            return at(HandleWordLayout.address(word), first, second, third, argument);
        } finally {
            ObjectLookup.updateEnded(handle, word, counted);
        }
    }
}
