package io.polder.heap.space;

import io.polder.gate.Gate;
import io.polder.gate.Gate.LongOperation;

import org.jspecify.annotations.Nullable;

/**
 * Numbers in objects, read and changed in a critical section of the access gate; what {@link
 * OptimisticReads} can read it reads without.
 *
 * <p>A change is made where the object stays, as {@link Evacuation} says: in a cycle behind the
 * write barrier.
 *
 * <p>Thread-safe. What ends in {@code Inside} is for a thread that is inside.
 */
final class Numbers {
    private static final LongOperation<Numbers, @Nullable Void> GET =
            (numbers, handle, offset, bytes, _, _) ->
                    numbers.getInside(handle, offset, (int) bytes);

    private static final LongOperation<Numbers, @Nullable Void> SIZE =
            (numbers, handle, _, _, _, _) -> numbers.sizeInside(handle);

    private static final LongOperation<Numbers, @Nullable Void> IS_LIVE =
            (numbers, handle, _, _, _, _) -> numbers.lookup.isLive(handle) ? 1 : 0;

    private final Gate access;
    private final ObjectLookup lookup;
    private final Evacuation evacuation;

    Numbers(Gate access, ObjectLookup lookup, Evacuation evacuation) {
        this.access = access;
        this.lookup = lookup;
        this.evacuation = evacuation;
    }

    private long inside(
            LongOperation<Numbers, @Nullable Void> operation,
            long handle,
            long offset,
            long first,
            long second) {
        return access.insideAsLong(
                operation, this, handle, offset, first, second, null, HeapSpace.REFUSAL);
    }

    /** A number of so many bytes: 1, 4 or 8. */
    long get(long handle, long offset, int bytes) {
        return inside(GET, handle, offset, bytes, 0);
    }

    long getInside(long handle, long offset, int bytes) {
        long address = lookup.address(handle);
        return RawAccess.get(ObjectLayout.checkedContent(address, offset, bytes), bytes);
    }

    /** The size of an object. */
    long size(long handle) {
        return inside(SIZE, handle, 0, 0, 0);
    }

    long sizeInside(long handle) {
        return ObjectLayout.sizeBytes(lookup.address(handle));
    }

    /** Whether there is an object. */
    boolean isLive(long handle) {
        return inside(IS_LIVE, handle, 0, 0, 0) != 0;
    }

    /** Changes a number. */
    long change(NumberChange change, long handle, long offset, long first, long second) {
        return inside(change, handle, offset, first, second);
    }

    /** What a change does inside. */
    long changeInside(NumberChange change, long handle, long offset, long first, long second) {
        if (evacuation.isUnderWay()) {
            return changeInCycle(change, handle, offset, first, second);
        }
        return changeAt(lookup.address(handle), change, offset, first, second);
    }

    private long changeInCycle(
            NumberChange change, long handle, long offset, long first, long second) {
        PinCounts counted = evacuation.pins();
        long word = lookup.resolveForUpdate(handle, counted);
        try {
            return changeAt(HandleWordLayout.address(word), change, offset, first, second);
        } finally {
            ObjectLookup.updateEnded(handle, word, counted);
        }
    }

    private static long changeAt(
            long address, NumberChange change, long offset, long first, long second) {
        long place = ObjectLayout.checkedContent(address, offset, change.bytes);
        if (change.atomic && (offset & (change.bytes - 1)) != 0) {
            throw new IllegalArgumentException(
                    "an atomic access must be aligned to its size: offset="
                            + offset
                            + ", bytes="
                            + change.bytes);
        }
        return change.apply(place, first, second);
    }
}
