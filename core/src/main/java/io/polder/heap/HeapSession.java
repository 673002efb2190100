package io.polder.heap;

import io.polder.heap.space.OpenSession;

import java.lang.foreign.MemorySegment;

/**
 * Many uses of a heap's objects, for which the heap is entered once: each of them costs less than
 * that of {@link RelocatingHeap} of the same name, and does the same.
 *
 * <p>{@link RelocatingHeap#session} gives one to a function. It is for the thread that runs the
 * function, and until the function returns. The function may use the heap itself as well, for what
 * is not here.
 *
 * <p>Each method throws what that of the heap throws; and besides
 *
 * <ul>
 *   <li>{@link IllegalStateException} once the function has returned,
 *   <li>{@link WrongThreadException} in any other thread.
 * </ul>
 */
public sealed interface HeapSession permits OpenSession {
    /** As {@link RelocatingHeap#size}. */
    long size(long handle);

    /** As {@link RelocatingHeap#getByte}. */
    byte getByte(long handle, long offset);

    /** As {@link RelocatingHeap#getInt}. */
    int getInt(long handle, long offset);

    /** As {@link RelocatingHeap#getLong}. */
    long getLong(long handle, long offset);

    /** As {@link RelocatingHeap#getDouble}. */
    double getDouble(long handle, long offset);

    /** As {@link RelocatingHeap#setByte}. */
    void setByte(long handle, long offset, byte value);

    /** As {@link RelocatingHeap#setInt}. */
    void setInt(long handle, long offset, int value);

    /** As {@link RelocatingHeap#setLong}. */
    void setLong(long handle, long offset, long value);

    /** As {@link RelocatingHeap#setDouble}. */
    void setDouble(long handle, long offset, double value);

    /** As {@link RelocatingHeap#get(long, MemorySegment)}. */
    void get(long handle, MemorySegment destination);

    /** As {@link RelocatingHeap#get(long, long, MemorySegment)}. */
    void get(long handle, long offset, MemorySegment destination);

    /** As {@link RelocatingHeap#put(long, MemorySegment)}. */
    void put(long handle, MemorySegment source);

    /** As {@link RelocatingHeap#put(long, long, MemorySegment)}. */
    void put(long handle, long offset, MemorySegment source);
}
