package io.polder.heap.space;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import io.polder.gate.Gate;
import io.polder.gate.Gate.LongOperation;
import io.polder.gate.Gate.Operation;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Bytes and numbers of objects, read and changed in a critical section of the access gate; what
 * {@link OptimisticReads} can read they read without.
 *
 * <p>A change is made where the object stays, as {@link Evacuation} says: in a cycle behind the
 * write barrier.
 *
 * <p>Thread-safe. What ends in {@code Inside} is for a thread that is inside.
 */
final class Contents {
    // What is done inside. Constants, so that nothing is allocated for a use.

    private static final LongOperation<Contents, @Nullable Void> GET_NUMBER =
            (contents, handle, offset, bytes, _, _) ->
                    contents.getNumberInside(handle, offset, (int) bytes);

    private static final LongOperation<Contents, @Nullable Void> SIZE =
            (contents, handle, _, _, _, _) -> contents.sizeInside(handle);

    private static final LongOperation<Contents, @Nullable Void> IS_LIVE =
            (contents, handle, _, _, _, _) -> contents.lookup.isLive(handle) ? 1 : 0;

    private static final LongOperation<Contents, MemorySegment> GET_ALL =
            (contents, handle, _, _, _, destination) -> contents.getAllInside(handle, destination);

    private static final LongOperation<Contents, MemorySegment> GET =
            (contents, handle, offset, _, _, destination) ->
                    contents.getInside(handle, offset, destination);

    private static final LongOperation<Contents, byte[]> GET_ARRAY =
            (contents, handle, offset, from, length, destination) ->
                    contents.getInside(handle, offset, destination, (int) from, (int) length);

    private static final Operation<Contents, @Nullable Void, byte[]> TO_ARRAY =
            (contents, handle, _) -> ObjectLayout.toArray(contents.lookup.address(handle));

    private static final LongOperation<Contents, MemorySegment> PUT =
            (contents, handle, offset, _, _, source) -> contents.putInside(handle, offset, source);

    private static final LongOperation<Contents, byte[]> PUT_ARRAY =
            (contents, handle, offset, from, length, source) ->
                    contents.putInside(handle, offset, source, (int) from, (int) length);

    private static final LongOperation<Contents, @Nullable Void> RESIZE =
            (contents, handle, bytes, _, _, _) -> contents.resizeInside(handle, bytes);

    private static final LongOperation<Contents, MemorySegment> MISMATCH =
            (contents, handle, _, _, _, other) -> contents.mismatchInside(handle, other);

    private static final LongOperation<Contents, @Nullable Void> HASH =
            (contents, handle, _, _, _, _) -> contents.hashInside(handle);

    private static final Supplier<byte[]> NO_RESULT = HeapSpace::refuse;

    private final Gate access;
    private final ObjectLookup lookup;
    private final Evacuation evacuation;

    Contents(Gate access, ObjectLookup lookup, Evacuation evacuation) {
        this.access = access;
        this.lookup = lookup;
        this.evacuation = evacuation;
    }

    private <A extends @Nullable Object> long inside(
            LongOperation<Contents, A> operation, long handle, A argument) {
        return access.insideAsLong(operation, this, handle, 0, 0, 0, argument, HeapSpace.REFUSAL);
    }

    private <A extends @Nullable Object> long inside(
            LongOperation<Contents, A> operation,
            long handle,
            long offset,
            long first,
            long second,
            A argument) {
        return access.insideAsLong(
                operation, this, handle, offset, first, second, argument, HeapSpace.REFUSAL);
    }

    /** A number of so many bytes: 1, 4 or 8. */
    long getNumber(long handle, long offset, int bytes) {
        return inside(GET_NUMBER, handle, offset, bytes, 0, null);
    }

    long getNumberInside(long handle, long offset, int bytes) {
        long address = lookup.address(handle);
        return RawAccess.get(ObjectLayout.checkedContent(address, offset, bytes), bytes);
    }

    /** The size of an object. */
    long size(long handle) {
        return inside(SIZE, handle, null);
    }

    long sizeInside(long handle) {
        return ObjectLayout.sizeBytes(lookup.address(handle));
    }

    /** Whether there is an object. */
    boolean isLive(long handle) {
        return inside(IS_LIVE, handle, null) != 0;
    }

    /** Copies an object to the front of a segment, as far as there is room; returns its size. */
    long getAll(long handle, MemorySegment destination) {
        return inside(GET_ALL, handle, destination);
    }

    long getAllInside(long handle, MemorySegment destination) {
        long address = lookup.address(handle);
        long bytes = ObjectLayout.sizeBytes(address);
        long copied = Math.min(bytes, destination.byteSize());
        MemorySegment.copy(ADDRESS_SPACE, ObjectLayout.content(address), destination, 0, copied);
        return bytes;
    }

    /** Copies a part of an object to a segment, which it fills. */
    void get(long handle, long offset, MemorySegment destination) {
        long _ = inside(GET, handle, offset, 0, 0, destination);
    }

    long getInside(long handle, long offset, MemorySegment destination) {
        long bytes = destination.byteSize();
        long at = ObjectLayout.checkedContent(lookup.address(handle), offset, bytes);
        MemorySegment.copy(ADDRESS_SPACE, at, destination, 0, bytes);
        return bytes;
    }

    /** Copies a part of an object to a part of an array. */
    void get(long handle, long offset, byte[] destination, int from, int length) {
        int _ = Objects.checkFromIndexSize(from, length, destination.length);
        long _ = inside(GET_ARRAY, handle, offset, from, length, destination);
    }

    private long getInside(long handle, long offset, byte[] destination, int from, int length) {
        long at = ObjectLayout.checkedContent(lookup.address(handle), offset, length);
        MemorySegment.copy(ADDRESS_SPACE, ValueLayout.JAVA_BYTE, at, destination, from, length);
        return length;
    }

    /** Copies an object into a new array. */
    byte[] toArray(long handle) {
        return access.inside(TO_ARRAY, this, handle, null, NO_RESULT);
    }

    /** Changes a number. */
    long change(NumberChange change, long handle, long offset, long first, long second) {
        return inside(change, handle, offset, first, second, null);
    }

    /** What a change of a number does inside. */
    long changeInside(NumberChange change, long handle, long offset, long first, long second) {
        return evacuation.underWay
                ? changeInCycle(change, handle, offset, first, second)
                : change.at(lookup.address(handle), offset, first, second);
    }

    private long changeInCycle(
            NumberChange change, long handle, long offset, long first, long second) {
        PinCounts counted = evacuation.pins;
        long word = lookup.resolveForUpdate(handle, counted);
        try {
            return change.at(HandleWordLayout.address(word), offset, first, second);
        } finally {
            ObjectLookup.updateEnded(handle, word, counted);
        }
    }

    /** Copies a segment to a part of an object. */
    void put(long handle, long offset, MemorySegment source) {
        long _ = inside(PUT, handle, offset, 0, 0, source);
    }

    long putInside(long handle, long offset, MemorySegment source) {
        if (evacuation.underWay) {
            putInCycle(handle, offset, source);
        } else {
            write(lookup.address(handle), offset, source);
        }
        return 0;
    }

    private void putInCycle(long handle, long offset, MemorySegment source) {
        PinCounts counted = evacuation.pins;
        long word = lookup.resolveForUpdate(handle, counted);
        try {
            write(HandleWordLayout.address(word), offset, source);
        } finally {
            ObjectLookup.updateEnded(handle, word, counted);
        }
    }

    private static void write(long address, long offset, MemorySegment source) {
        long bytes = source.byteSize();
        long at = ObjectLayout.checkedContent(address, offset, bytes);
        MemorySegment.copy(source, 0, ADDRESS_SPACE, at, bytes);
    }

    /** Copies a part of an array to a part of an object. */
    void put(long handle, long offset, byte[] source, int from, int length) {
        int _ = Objects.checkFromIndexSize(from, length, source.length);
        long _ = inside(PUT_ARRAY, handle, offset, from, length, source);
    }

    private long putInside(long handle, long offset, byte[] source, int from, int length) {
        if (evacuation.underWay) {
            putInCycle(handle, offset, MemorySegment.ofArray(source).asSlice(from, length));
        } else {
            write(lookup.address(handle), offset, source, from, length);
        }
        return 0;
    }

    private static void write(long address, long offset, byte[] source, int from, int length) {
        long at = ObjectLayout.checkedContent(address, offset, length);
        MemorySegment.copy(source, from, ADDRESS_SPACE, ValueLayout.JAVA_BYTE, at, length);
    }

    /**
     * Gives an object another size, if it takes as much room with that; what it has more is zero.
     *
     * @return whether it does
     */
    boolean resizeInPlace(long handle, long bytes) {
        return inside(RESIZE, handle, bytes, 0, 0, null) != 0;
    }

    private long resizeInside(long handle, long bytes) {
        if (!evacuation.underWay) {
            return resizeAt(lookup.address(handle), bytes);
        }
        PinCounts counted = evacuation.pins;
        long word = lookup.resolveForUpdate(handle, counted);
        try {
            return resizeAt(HandleWordLayout.address(word), bytes);
        } finally {
            ObjectLookup.updateEnded(handle, word, counted);
        }
    }

    private static long resizeAt(long address, long bytes) {
        return ObjectLayout.resizeInPlace(address, bytes) ? 1 : 0;
    }

    /** The first offset at which an object and a segment differ; -1 if they are the same. */
    long mismatch(long handle, MemorySegment other) {
        return inside(MISMATCH, handle, other);
    }

    private long mismatchInside(long handle, MemorySegment other) {
        long address = lookup.address(handle);
        long at = ObjectLayout.content(address);
        long end = at + ObjectLayout.sizeBytes(address);
        return MemorySegment.mismatch(ADDRESS_SPACE, at, end, other, 0, other.byteSize());
    }

    /** A hash of the bytes of an object. */
    long hash(long handle) {
        return inside(HASH, handle, null);
    }

    private long hashInside(long handle) {
        long address = lookup.address(handle);
        long bytes = ObjectLayout.sizeBytes(address);
        return ContentHash.of(ADDRESS_SPACE, ObjectLayout.content(address), bytes);
    }
}
