package io.polder.heap.space;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import io.polder.gate.Gate;
import io.polder.gate.Gate.LongOperation;
import io.polder.gate.Gate.Operation;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;

/**
 * What is done to bytes and numbers of objects, in a critical section of the access gate; what
 * {@link OptimisticReads} can read they read without.
 *
 * <p>Each is a constant, so that nothing is allocated for a use: {@link #inside} enters the gate
 * for one, and a thread that is inside already runs it as it is. The numbers that one gets are in
 * the order of the parameters of the method of {@link io.polder.heap.RelocatingHeap} that it is
 * for.
 *
 * <p>Thread-safe.
 */
record Contents(Gate access, ObjectLookup lookup) {
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

    /** Copies a part of an object to a part of an array. */
    static final LongOperation<ObjectLookup, byte[]> GET_ARRAY =
            (lookup, handle, offset, from, length, destination) -> {
                long _ = Objects.checkFromIndexSize(from, length, destination.length);
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

    /** Copies a part of an array to a part of an object. */
    static final Change<byte[]> PUT_ARRAY =
            (address, offset, from, length, source) -> {
                long _ = Objects.checkFromIndexSize(from, length, source.length);
                long at = ObjectLayout.checkedContent(address, offset, length);
                MemorySegment.copy(
                        source, (int) from, ADDRESS_SPACE, ValueLayout.JAVA_BYTE, at, (int) length);
                return length;
            };

    /** Whether there is an object. */
    static final LongOperation<ObjectLookup, @Nullable Void> IS_LIVE =
            (lookup, handle, _, _, _, _) -> lookup.isLive(handle) ? 1 : 0;

    /**
     * Gives an object another size, if it takes as much room with that; what it has more is zero.
     */
    static final Change<@Nullable Void> RESIZE =
            (address, bytes, _, _, _) -> ObjectLayout.resizeInPlace(address, bytes) ? 1 : 0;

    /** The first offset at which an object and a segment differ; -1 if they are the same. */
    static final LongOperation<ObjectLookup, MemorySegment> MISMATCH =
            (lookup, handle, _, _, _, other) -> {
                long address = lookup.address(handle);
                long at = ObjectLayout.content(address);
                long end = at + ObjectLayout.sizeBytes(address);
                return MemorySegment.mismatch(ADDRESS_SPACE, at, end, other, 0, other.byteSize());
            };

    /** A hash of the bytes of an object. */
    static final LongOperation<ObjectLookup, @Nullable Void> HASH =
            (lookup, handle, _, _, _, _) -> {
                long address = lookup.address(handle);
                long bytes = ObjectLayout.sizeBytes(address);
                return ContentHash.of(ADDRESS_SPACE, ObjectLayout.content(address), bytes);
            };

    /** Copies an object into a new array. */
    static final Operation<ObjectLookup, @Nullable Void, Object> TO_ARRAY =
            (lookup, handle, _) -> ObjectLayout.toArray(lookup.address(handle));

    /** Does something to an object in a critical section. */
    <A extends @Nullable Object> long inside(
            LongOperation<ObjectLookup, A> operation,
            long handle,
            long one,
            long two,
            long three,
            A argument) {
        return access.insideAsLong(
                operation, lookup, handle, one, two, three, argument, HeapSpace.REFUSAL);
    }
}
