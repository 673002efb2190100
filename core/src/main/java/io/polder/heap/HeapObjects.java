package io.polder.heap;

import io.polder.heap.space.OpenSession;

import java.lang.foreign.MemorySegment;

/**
 * The objects of a heap, one at a time: what {@link RelocatingHeap} does with them, and a
 * {@linkplain RelocatingHeap#session session} of one does for less.
 */
public sealed interface HeapObjects permits RelocatingHeap, OpenSession {
    /**
     * The size of an object in bytes.
     *
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IllegalStateException if the heap is closed
     */
    long size(long handle);

    /**
     * Reads a byte of an object. As the other methods named {@code get...} it calls no function and
     * takes no memory of the Java heap, and waits for nobody.
     *
     * @param offset from 0 up to the size of the object, less that of the number
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IndexOutOfBoundsException if the number is not within the object
     * @throws IllegalStateException if the heap is closed
     */
    byte getByte(long handle, long offset);

    /**
     * Reads a number of 4 bytes of an object, in the byte order of the machine. It need not be
     * aligned; at a multiple of 4 it is read as a whole. The order among reads and writes is that
     * of plain memory.
     *
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IndexOutOfBoundsException if the number is not within the object
     * @throws IllegalStateException if the heap is closed
     */
    int getInt(long handle, long offset);

    /** Reads a number of 8 bytes; at a multiple of 8 as a whole. Else as {@link #getInt}. */
    long getLong(long handle, long offset);

    /** Reads a floating-point number of 8 bytes. Else as {@link #getLong}. */
    default double getDouble(long handle, long offset) {
        return Double.longBitsToDouble(getLong(handle, offset));
    }

    /**
     * Writes a byte of an object.
     *
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IndexOutOfBoundsException if the number is not within the object
     * @throws IllegalStateException if the heap is closed
     */
    void setByte(long handle, long offset, byte value);

    /** Writes what {@link #getInt} reads, aligned as a whole. Throws what that throws. */
    void setInt(long handle, long offset, int value);

    /** Writes what {@link #getLong} reads, aligned as a whole. Throws what that throws. */
    void setLong(long handle, long offset, long value);

    /** Writes what {@link #getDouble} reads. Throws what that throws. */
    default void setDouble(long handle, long offset, double value) {
        setLong(handle, offset, Double.doubleToRawLongBits(value));
    }

    /**
     * Copies an object to the front of a segment, or as much of its front as the segment has room
     * for.
     *
     * @return the size of the object in bytes
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IllegalStateException if the heap is closed, or the segment not alive
     * @throws WrongThreadException if the segment is confined to another thread
     */
    long get(long handle, MemorySegment destination);

    /**
     * Fills a segment with a part of an object.
     *
     * @param offset where in the object the part begins
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IndexOutOfBoundsException if the object does not reach so far
     * @throws IllegalStateException if the heap is closed, or the segment not alive
     * @throws WrongThreadException if the segment is confined to another thread
     */
    void get(long handle, long offset, MemorySegment destination);

    /**
     * Copies a segment to a part of an object.
     *
     * @param offset where in the object the part begins
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IndexOutOfBoundsException if the object does not reach so far
     * @throws IllegalStateException if the heap is closed, or the segment not alive
     * @throws WrongThreadException if the segment is confined to another thread
     */
    void put(long handle, long offset, MemorySegment source);
}
