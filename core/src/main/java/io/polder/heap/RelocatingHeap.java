package io.polder.heap;

import io.polder.heap.space.HeapSpace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * Objects in native memory that are compacted while the program runs: memory of freed objects goes
 * back, however scattered it was.
 *
 * <p>An object is a number of bytes, named by a <em>handle</em>. Its address changes; so it is read
 * and changed by functions that get it as a segment for as long as they run:
 *
 * {@snippet class="HeapSnippets" region="heap"}
 *
 * <h2>Threads</h2>
 *
 * <p>Any thread may use any handle. Nobody ever waits for compaction as a whole: a read never
 * waits, an update or a free waits at most until one object has been copied. The heap does not
 * order threads that use one object at the same time; if one of them changes it, they must agree
 * on how, as with any other memory. An update that has ended is seen by reads that begin
 * afterwards.
 *
 * <p>A function that reads or changes an object may use the heap again, and may block; as long as
 * it runs, memory that was freed or compacted meanwhile cannot be given back, which {@link
 * HeapStatistics#longestInsideThread} shows. It must not call {@link #compact} or {@link #close}.
 *
 * <h2>Handles</h2>
 *
 * <p>0 is no handle. A handle whose object was freed is detected, also if its memory or its place
 * among handles has been used again: {@link StaleHandleException}. So is a handle of another heap,
 * unless 254 others were opened between the two.
 *
 * <h2>Memory</h2>
 *
 * <p>An object takes 8 bytes for its header, 8 for its handle, and is rounded up to 8 bytes.
 * Objects share pages of 2 to 32 MiB, which are at most an eighth of the heap; what is larger than
 * 4 MiB has a page of its own and never moves. Objects are aligned to 8 bytes.
 *
 * <p>When a sixteenth of what objects fill is dead, the background copies what lives in the
 * sparsest pages, within a {@linkplain HeapOptions#compactionShare share} of a processor, and gives
 * these pages back to the pool. One thread does that for all heaps; a heap that is not used does
 * nothing. When the heap is full, the thread that allocates waits until compaction has made room
 * for it. Where that gives no room and a limit of the pool is in the way,
 * it closes for good the deferred arenas that wait for it, and runs their cleanup actions. If that
 * gives none either, it gets an {@link OutOfMemoryError}; the heap can be used as before then.
 *
 * <p><b>Headroom.</b> The fuller a heap is, the more must be copied for each byte that comes free:
 * of one that is always full nearly all that lives is copied, again and again, for little. So a
 * cache evicts before it is full: as soon as what lives ({@link HeapStatistics#liveBytes}) is above
 * a share of the limit, three quarters for instance, and not on an {@code OutOfMemoryError}, which
 * comes after all that copying. {@link #tryAllocate(long)} says that a heap is full without an
 * error; it has compacted by then, too.
 *
 * <p>The pool has it: {@code MemoryPool.openHeap()}. A heap keeps its memory until it is closed.
 * Thread-safe.
 */
@SuppressWarnings("exports") // of an annotation that is there at compile time only
public sealed interface RelocatingHeap extends AutoCloseable permits HeapSpace {

    /**
     * Allocates an object of zeros.
     *
     * @param bytes its size, from 0 up
     * @return its handle
     * @throws IllegalArgumentException if {@code bytes} is negative or beyond the limit of the heap
     * @throws OutOfMemoryError if there is no room, nor any to be made by compaction; names the
     *     limit
     * @throws IllegalStateException if the heap or its pool is closed
     */
    long allocate(long bytes);

    /**
     * Allocates an object as large as a segment, with its content.
     *
     * @return its handle
     * @throws OutOfMemoryError as {@link #allocate(long)} does
     * @throws IllegalArgumentException as {@link #allocate(long)} does
     * @throws IllegalStateException if the heap or its pool is closed, or the segment not alive
     * @throws WrongThreadException if the segment is confined to another thread
     */
    long allocate(MemorySegment content);

    /**
     * Allocates an object of zeros for a layout.
     *
     * @return its handle
     * @throws IllegalArgumentException if the layout needs another alignment than objects have, 8
     *     bytes; and as {@link #allocate(long)} does
     * @throws OutOfMemoryError as {@link #allocate(long)} does
     * @throws IllegalStateException as {@link #allocate(long)} does
     */
    long allocate(MemoryLayout layout);

    /**
     * Allocates an object of zeros, if there is room, or some can be made by compaction. That a
     * heap is full is no error here, and nothing is logged.
     *
     * @param bytes its size, from 0 up
     * @return its handle; 0 if the heap is full
     * @throws IllegalArgumentException as {@link #allocate(long)} does
     * @throws IllegalStateException as {@link #allocate(long)} does
     */
    long tryAllocate(long bytes);

    /**
     * Allocates an object with the content of a segment, if there is room, or some can be made by
     * compaction.
     *
     * @return its handle; 0 if the heap is full
     * @throws IllegalArgumentException as {@link #allocate(MemorySegment)} does
     * @throws IllegalStateException as {@link #allocate(MemorySegment)} does
     * @throws WrongThreadException if the segment is confined to another thread
     */
    long tryAllocate(MemorySegment content);

    /**
     * Frees an object. Threads that read it go on; its memory is used again after that.
     *
     * <p>If this is cut off by an {@link Error}, the stack's end for instance, the object may be
     * freed or not, which {@link #isLive} tells.
     *
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IllegalStateException if the heap is closed
     */
    void free(long handle);

    /**
     * Lets a function read an object. It sees the bytes as they are when it begins, or later: an
     * update meanwhile, by itself or by another thread, may change other bytes than those it sees,
     * if the object has just been moved. To wait for a change, read again.
     *
     * @param reader gets a read-only segment of the object's size, for the running thread and until
     *     it returns
     * @return what the function returns; what it throws is thrown
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IllegalStateException if the heap is closed
     */
    <R extends @Nullable Object> R read(
            long handle, Function<? super MemorySegment, ? extends R> reader);

    /**
     * Lets a function change an object.
     *
     * @param writer gets a segment of the object's size, for the running thread and until it
     *     returns; what it throws is thrown, and what it has changed by then stays changed
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IllegalStateException if the heap is closed
     */
    void update(long handle, Consumer<? super MemorySegment> writer);

    /**
     * Copies an object to the front of a segment.
     *
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IndexOutOfBoundsException if the segment is smaller than the object
     * @throws IllegalStateException if the heap is closed, or the segment not alive
     * @throws WrongThreadException if the segment is confined to another thread
     */
    void get(long handle, MemorySegment destination);

    /**
     * Copies an object into a new array.
     *
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IllegalArgumentException if the object is too large for an array
     * @throws IllegalStateException if the heap is closed
     */
    byte[] toArray(long handle);

    /**
     * Copies a segment to the front of an object.
     *
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IndexOutOfBoundsException if the object is smaller than the segment
     * @throws IllegalStateException if the heap is closed, or the segment not alive
     * @throws WrongThreadException if the segment is confined to another thread
     */
    void put(long handle, MemorySegment source);

    /**
     * The size of an object in bytes.
     *
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IllegalStateException if the heap is closed
     */
    long size(long handle);

    /**
     * Whether a handle names an object of this heap.
     *
     * @throws IllegalStateException if the heap is closed
     */
    boolean isLive(long handle);

    /**
     * Names every object that is there from the beginning to the end of the call, once, and perhaps
     * some that come or go meanwhile.
     *
     * @throws IllegalStateException if the heap is closed
     */
    void forEach(LongConsumer handles);

    /**
     * Compacts at once, in the running thread, as far as it is worth it. The pool has what is freed
     * so, and its {@link io.polder.MemoryPool#trim trim} gives that back to the operating system.
     *
     * @return how many bytes of pages were given back to the pool
     * @throws IllegalStateException if the heap is closed, or the thread is reading or changing an
     *     object
     */
    long compact();

    /** What it holds and has done. May be asked of a closed heap, too. */
    HeapStatistics stats();

    /**
     * Closes the heap: its handles name nothing any more. Waits for threads that read or change
     * objects; then all memory goes back to the pool. Closing again does nothing.
     *
     * @throws IllegalStateException if the running thread is reading or changing an object
     */
    @Override
    void close();
}
