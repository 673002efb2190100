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
 * <p>Thread-safe. What is done inside is a constant, so that nothing is allocated for a use; a
 * thread that is inside already runs it as it is.
 */
final class Contents {
    /** A number of so many bytes: 1, 4 or 8. */
    static final LongOperation<ObjectLookup, @Nullable Void> GET_NUMBER =
            (lookup, handle, offset, bytes, _, _) -> {
                long address = lookup.address(handle);
                long at = ObjectLayout.checkedContent(address, offset, bytes);
                return RawAccess.get(at, (int) bytes);
            };

    /** The size of an object. */
    static final LongOperation<ObjectLookup, @Nullable Void> SIZE =
            (lookup, handle, _, _, _, _) -> ObjectLayout.sizeBytes(lookup.address(handle));

    /** Copies an object to the front of a segment, as far as there is room; its size. */
    static final LongOperation<ObjectLookup, MemorySegment> GET_ALL =
            (lookup, handle, _, _, _, destination) -> {
                long address = lookup.address(handle);
                long bytes = ObjectLayout.sizeBytes(address);
                long from = ObjectLayout.content(address);
                long copied = Math.min(bytes, destination.byteSize());
                MemorySegment.copy(ADDRESS_SPACE, from, destination, 0, copied);
                return bytes;
            };

    /** Copies a part of an object to a segment, which it fills. */
    static final LongOperation<ObjectLookup, MemorySegment> GET =
            (lookup, handle, offset, _, _, destination) -> {
                long bytes = destination.byteSize();
                long at = ObjectLayout.checkedContent(lookup.address(handle), offset, bytes);
                MemorySegment.copy(ADDRESS_SPACE, at, destination, 0, bytes);
                return bytes;
            };

    /** Copies a segment to a part of an object. */
    static final Change<MemorySegment> PUT =
            (address, offset, _, _, source) -> {
                long bytes = source.byteSize();
                long at = ObjectLayout.checkedContent(address, offset, bytes);
                MemorySegment.copy(source, 0, ADDRESS_SPACE, at, bytes);
                return bytes;
            };

    private static final LongOperation<ObjectLookup, byte[]> GET_ARRAY =
            (lookup, handle, offset, from, length, destination) -> {
                long at = ObjectLayout.checkedContent(lookup.address(handle), offset, length);
                MemorySegment.copy(
                        ADDRESS_SPACE,
                        ValueLayout.JAVA_BYTE,
                        at,
                        destination,
                        (int) from,
                        (int) length);
                return length;
            };

    private static final Operation<ObjectLookup, @Nullable Void, byte[]> TO_ARRAY =
            (lookup, handle, _) -> ObjectLayout.toArray(lookup.address(handle));

    private static final Supplier<byte[]> NO_RESULT = HeapSpace::refuse;

    private static final Change<byte[]> PUT_ARRAY =
            (address, offset, from, length, source) -> {
                long at = ObjectLayout.checkedContent(address, offset, length);
                MemorySegment.copy(
                        source, (int) from, ADDRESS_SPACE, ValueLayout.JAVA_BYTE, at, (int) length);
                return length;
            };

    private static final LongOperation<ObjectLookup, @Nullable Void> IS_LIVE =
            (lookup, handle, _, _, _, _) -> lookup.isLive(handle) ? 1 : 0;

    private static final Change<@Nullable Void> RESIZE =
            (address, bytes, _, _, _) -> ObjectLayout.resizeInPlace(address, bytes) ? 1 : 0;

    private static final LongOperation<ObjectLookup, MemorySegment> MISMATCH =
            (lookup, handle, _, _, _, other) -> {
                long address = lookup.address(handle);
                long at = ObjectLayout.content(address);
                long end = at + ObjectLayout.sizeBytes(address);
                return MemorySegment.mismatch(ADDRESS_SPACE, at, end, other, 0, other.byteSize());
            };

    private static final LongOperation<ObjectLookup, @Nullable Void> HASH =
            (lookup, handle, _, _, _, _) -> {
                long address = lookup.address(handle);
                long bytes = ObjectLayout.sizeBytes(address);
                return ContentHash.of(ADDRESS_SPACE, ObjectLayout.content(address), bytes);
            };

    private final Gate access;
    private final ObjectLookup lookup;

    Contents(Gate access, ObjectLookup lookup) {
        this.access = access;
        this.lookup = lookup;
    }

    private <A extends @Nullable Object> long inside(
            LongOperation<ObjectLookup, A> operation, long handle, A argument) {
        return access.insideAsLong(operation, lookup, handle, 0, 0, 0, argument, HeapSpace.REFUSAL);
    }

    private <A extends @Nullable Object> long inside(
            LongOperation<ObjectLookup, A> operation,
            long handle,
            long offset,
            long first,
            long second,
            A argument) {
        return access.insideAsLong(
                operation, lookup, handle, offset, first, second, argument, HeapSpace.REFUSAL);
    }

    /** A number of so many bytes: 1, 4 or 8. */
    long getNumber(long handle, long offset, int bytes) {
        return inside(GET_NUMBER, handle, offset, bytes, 0, null);
    }

    /** The size of an object. */
    long size(long handle) {
        return inside(SIZE, handle, null);
    }

    /** Whether there is an object. */
    boolean isLive(long handle) {
        return inside(IS_LIVE, handle, null) != 0;
    }

    /** Copies an object to the front of a segment, as far as there is room; returns its size. */
    long getAll(long handle, MemorySegment destination) {
        return inside(GET_ALL, handle, destination);
    }

    /** Copies a part of an object to a segment, which it fills. */
    void get(long handle, long offset, MemorySegment destination) {
        long _ = inside(GET, handle, offset, 0, 0, destination);
    }

    /** Copies a part of an object to a part of an array. */
    void get(long handle, long offset, byte[] destination, int from, int length) {
        int _ = Objects.checkFromIndexSize(from, length, destination.length);
        long _ = inside(GET_ARRAY, handle, offset, from, length, destination);
    }

    /** Copies an object into a new array. */
    byte[] toArray(long handle) {
        return access.inside(TO_ARRAY, lookup, handle, null, NO_RESULT);
    }

    /** Changes a number. */
    long change(NumberChange change, long handle, long offset, long first, long second) {
        return inside(change, handle, offset, first, second, null);
    }

    /** Copies a segment to a part of an object. */
    void put(long handle, long offset, MemorySegment source) {
        long _ = inside(PUT, handle, offset, 0, 0, source);
    }

    /** Copies a part of an array to a part of an object. */
    void put(long handle, long offset, byte[] source, int from, int length) {
        int _ = Objects.checkFromIndexSize(from, length, source.length);
        long _ = inside(PUT_ARRAY, handle, offset, from, length, source);
    }

    /**
     * Gives an object another size, if it takes as much room with that; what it has more is zero.
     *
     * @return whether it does
     */
    boolean resizeInPlace(long handle, long bytes) {
        return inside(RESIZE, handle, bytes, 0, 0, null) != 0;
    }

    /** The first offset at which an object and a segment differ; -1 if they are the same. */
    long mismatch(long handle, MemorySegment other) {
        return inside(MISMATCH, handle, other);
    }

    /** A hash of the bytes of an object. */
    long hash(long handle) {
        return inside(HASH, handle, null);
    }
}
