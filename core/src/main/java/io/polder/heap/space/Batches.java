package io.polder.heap.space;

import static io.polder.heap.space.HeapAllocation.NO_HANDLE;
import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import io.polder.gate.Gate.LongOperation;
import io.polder.heap.StaleHandleException;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;

/**
 * What is done to many objects, a group of them in each critical section of the access gate.
 *
 * <pre>{@code
 *   handles    [ 0 ............ 63 | 64 .......... 127 | ... ]      a critical section each
 *   of a group:   all words, then all headers, then all bytes
 * }</pre>
 *
 * <p>The loads of a stage do not depend on each other, so a processor makes several at a time:
 * where none of them is in its caches, that is what a batch is for.
 *
 * <p>A handle that names nothing, or an object that is too small, ends the batch: what comes before
 * it is done, and what comes after it is not.
 *
 * <p>Thread-safe; who passes an array must not change it meanwhile.
 */
record Batches(HeapSpace heap, NewObjects newObjects) {
    /** Handles of a group: more than a processor loads at a time. Guessed. */
    static final int GROUP = 64;

    private static final LongOperation<Batches, Copy> GET =
            (batches, from, to, _, _, copy) -> batches.getInside((int) from, (int) to, copy);

    private static final LongOperation<Batches, long[]> FREE =
            (batches, from, to, _, _, handles) -> batches.freeInside((int) from, (int) to, handles);

    private static final LongOperation<Batches, long[]> ALLOCATE =
            (batches, bytes, from, to, _, handles) ->
                    batches.allocateInside(bytes, (int) from, (int) to, handles);

    /** What is copied, and where a group of objects is. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Copy(
            long[] handles, long offset, long bytes, MemorySegment destination, long[] addresses) {}

    /** Copies a part of each object to a segment, one after the other. */
    void getAll(long[] handles, long offset, long bytes, MemorySegment destination) {
        if (bytes < 0 || (bytes > 0 && destination.byteSize() / bytes < handles.length)) {
            throw new IndexOutOfBoundsException(
                    "the parts of all objects must fit into the segment: objects="
                            + handles.length
                            + ", bytes="
                            + bytes
                            + ", size="
                            + destination.byteSize());
        }
        long[] addresses = new long[Math.min(handles.length, GROUP)];
        Copy copy = new Copy(handles, offset, bytes, destination, addresses);
        int from = 0;
        do { // once if there is no handle: a closed heap refuses that, too
            int to = Math.min(handles.length, from + GROUP);
            long _ = heap.access.insideAsLong(GET, this, from, to, 0, 0, copy, HeapSpace.REFUSAL);
            from = to;
        } while (from < handles.length);
    }

    private long getInside(int from, int to, Copy copy) {
        ObjectLookup lookup = heap.lookup;
        long[] addresses = copy.addresses;
        int count = to - from;
        int i = 0;
        try {
            for (; i < count; i++) {
                addresses[i] = lookup.address(copy.handles[from + i]);
            }
            for (i = 0; i < count; i++) {
                addresses[i] = ObjectLayout.checkedContent(addresses[i], copy.offset, copy.bytes);
            }
        } catch (StaleHandleException | IndexOutOfBoundsException failure) {
            long _ = getInside(from, from + i, copy); // what comes before it, if that can be done
            throw at(from + i, failure);
        }
        long start = from * copy.bytes;
        for (i = 0; i < count; i++) {
            MemorySegment.copy(
                    ADDRESS_SPACE,
                    addresses[i],
                    copy.destination,
                    start + i * copy.bytes,
                    copy.bytes);
        }
        return count;
    }

    private static RuntimeException at(int position, RuntimeException failure) {
        String message = failure.getMessage() + ", position=" + position;
        return failure instanceof StaleHandleException
                ? new StaleHandleException(message)
                : new IndexOutOfBoundsException(message);
    }

    /** Frees objects. */
    void freeAll(long[] handles) {
        int from = 0;
        try {
            do { // as above
                int to = Math.min(handles.length, from + GROUP);
                long _ =
                        heap.access.insideAsLong(
                                FREE, this, from, to, 0, 0, handles, HeapSpace.REFUSAL);
                from = to;
            } while (from < handles.length);
        } finally {
            heap.compactor.wakeIfDue();
        }
    }

    private long freeInside(int from, int to, long[] handles) {
        for (int i = from; i < to; i++) {
            try {
                long _ = heap.freeInside(handles[i]);
            } catch (StaleHandleException stale) {
                throw at(i, stale);
            }
        }
        return to;
    }

    /** Allocates objects of zeros of one size, all of them or none. */
    void allocateAll(long bytes, long[] handles) {
        Objects.requireNonNull(handles, "handles");
        Arrays.fill(handles, 0); // whatever is thrown from here on
        heap.allocation.check(bytes);
        int done = 0;
        try {
            do { // as above
                int to = Math.min(handles.length, done + GROUP);
                long made =
                        heap.access.insideAsLong(
                                ALLOCATE, this, bytes, done, to, 0, handles, HeapSpace.REFUSAL);
                if (made == done && done < handles.length) {
                    handles[done] = heap.allocation.allocate(NO_HANDLE, bytes, null, false);
                    made++;
                }
                done = (int) made;
            } while (done < handles.length);
        } catch (Throwable refused) {
            undo(handles);
            throw refused;
        }
    }

    /** Frees what was allocated, and says no handle of it. */
    private void undo(long[] handles) {
        try {
            for (long handle : handles) {
                try {
                    if (handle != 0) {
                        heap.free(handle);
                    }
                } catch (StaleHandleException _) { // freed by others
                }
            }
        } catch (IllegalStateException _) { // closed, with all that is in it
        } finally {
            Arrays.fill(handles, 0);
        }
    }

    /** Up to where there was room without a lock. */
    private long allocateInside(long bytes, int from, int to, long[] handles) {
        int position = from;
        for (; position < to; position++) {
            handles[position] = newObjects.create(bytes, null, false, 0);
            if (handles[position] == 0) {
                break;
            }
        }
        return position;
    }
}
