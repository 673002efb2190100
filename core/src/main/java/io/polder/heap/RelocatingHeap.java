package io.polder.heap;

import io.polder.heap.space.ContentHash;
import io.polder.heap.space.HeapSpace;

import org.jspecify.annotations.Nullable;

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
 * <p>Single numbers need no function: {@link #getLong}, {@link #setLong}, {@link #getAndAddLong}
 * and the like take nothing of the Java heap. Those that read also pass no gate. Many changes and
 * copies in a row cost less in a {@link #session}.
 *
 * <h2>Threads</h2>
 *
 * <p>Any thread may use any handle. Nobody ever waits for compaction as a whole: a read never
 * waits, an update or a free waits at most until one object has been copied. The heap does not
 * order threads that use one object at the same time; if one of them changes it, they must agree on
 * how, as with any other memory: by a lock, by handing the handle over in a way that is safe for
 * other objects, or by {@link #getAndAddLong} and {@link #compareAndSetLong}, which order as those
 * of a {@code VarHandle} do. An update that has ended is seen by reads that begin afterwards.
 *
 * <p>A function that reads or changes an object may use the heap again, and may block; as long as
 * it runs, memory that was freed or compacted meanwhile cannot be given back, which {@link
 * HeapStatistics#longestInsideThread} shows. It must not call {@link #compact} or {@link #close},
 * and if it allocates where the heap is full, that is refused without a compaction of this heap,
 * which would wait for it: allocate before or after. It holds up no other heap: where it stays
 * inside for long, another thread goes on with these in the background.
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
 * these pages back to the pool. One thread does that for all heaps, but for those whose functions
 * hold it up; a heap that is not used does nothing. When the heap is full, the thread that
 * allocates waits until compaction has made room for it. Where that gives no room and a limit of
 * the pool is in the way, it closes for good the deferred arenas that wait for it, and runs their
 * cleanup actions. If that gives none either, it gets an {@link OutOfMemoryError}; the heap can be
 * used as before then.
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
public sealed interface RelocatingHeap extends HeapObjects, AutoCloseable permits HeapSpace {

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
     * Allocates an object of zeros, if there is room, or some can be made. That a heap is full is
     * no error here, and nothing is logged. While the pool makes room for other threads, which
     * would be refused otherwise, a heap that needs a page counts as full; this waits up to 50 ms
     * for that to end, and again if it begins once more.
     *
     * <p>Where a limit of the pool is in the way, and not the heap's own, this does what {@link
     * #allocate(long)} does before it is refused: it asks the shrinkers of the pool, too. So a loop
     * that allocates until this returns 0 never ends if a shrinker frees objects of this heap: give
     * such a heap a limit of its own, or end the loop by what the heap holds.
     *
     * @param bytes its size, from 0 up
     * @return its handle; 0 if the heap is full
     * @throws IllegalArgumentException as {@link #allocate(long)} does
     * @throws IllegalStateException as {@link #allocate(long)} does
     */
    long tryAllocate(long bytes);

    /**
     * Allocates an object with the content of a segment, if there is room, or some can be made as
     * {@link #tryAllocate(long)} makes it.
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
     * <p>If an {@link Error} ends this, the stack's end for instance, the object may be
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
     * Lets a function change an object, for a result.
     *
     * @param writer as that of {@link #update}
     * @return what the function returns
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IllegalStateException if the heap is closed
     */
    <R extends @Nullable Object> R compute(
            long handle, Function<? super MemorySegment, ? extends R> writer);

    /**
     * Adds to a number of 4 bytes of an object, as a whole and in the order of volatile accesses.
     *
     * @param offset a multiple of 4
     * @return what it was before
     * @throws IllegalArgumentException if the offset is not aligned
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IndexOutOfBoundsException if the number is not within the object
     * @throws IllegalStateException if the heap is closed
     */
    int getAndAddInt(long handle, long offset, int delta);

    /** Adds to a number of 8 bytes, at a multiple of 8. Else as {@link #getAndAddInt}. */
    long getAndAddLong(long handle, long offset, long delta);

    /**
     * Changes a number of 4 bytes of an object if it is as expected, as a whole and in the order of
     * volatile accesses.
     *
     * @param offset a multiple of 4
     * @return whether it was as expected, and is changed
     * @throws IllegalArgumentException if the offset is not aligned
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IndexOutOfBoundsException if the number is not within the object
     * @throws IllegalStateException if the heap is closed
     */
    boolean compareAndSetInt(long handle, long offset, int expected, int value);

    /** Changes a number of 8 bytes, at a multiple of 8. Else as {@link #compareAndSetInt}. */
    boolean compareAndSetLong(long handle, long offset, long expected, long value);

    /**
     * Copies a part of an object to a part of an array.
     *
     * @param offset where in the object the part begins
     * @param from where it begins in the array
     * @param length how many bytes
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IndexOutOfBoundsException if the object or the array does not reach so far
     * @throws IllegalStateException if the heap is closed
     */
    void get(long handle, long offset, byte[] destination, int from, int length);

    /**
     * Copies an object into a new array.
     *
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IllegalArgumentException if the object is too large for an array
     * @throws IllegalStateException if the heap is closed
     */
    byte[] toArray(long handle);

    /**
     * Copies a part of an array to a part of an object.
     *
     * @param offset where in the object the part begins
     * @param from where it begins in the array
     * @param length how many bytes
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IndexOutOfBoundsException if the object or the array does not reach so far
     * @throws IllegalStateException if the heap is closed
     */
    void put(long handle, long offset, byte[] source, int from, int length);

    /**
     * Compares an object with a segment.
     *
     * @return the first offset at which they differ, which is the smaller size if one is the
     *     beginning of the other; -1 if they are the same
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IllegalStateException if the heap is closed, or the segment not alive
     * @throws WrongThreadException if the segment is confined to another thread
     */
    long mismatch(long handle, MemorySegment other);

    /**
     * A hash of the bytes of an object, all 64 bits of which can be used: for the same bytes the
     * same, as long as the process runs. It does not protect against keys that are chosen to
     * collide.
     *
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IllegalStateException if the heap is closed
     */
    long contentHash(long handle);

    /**
     * The hash that an object with the bytes of a segment has.
     *
     * @throws IllegalStateException if the segment is not alive
     * @throws WrongThreadException if it is confined to another thread
     */
    static long contentHash(MemorySegment content) {
        return ContentHash.of(content);
    }

    /**
     * Gives an object another size. It keeps its handle and its bytes, as far as they fit; what is
     * added is zero. If it takes as many units of 8 bytes as before, it stays where it is;
     * otherwise the memory of its former size comes free by compaction.
     *
     * <p>Threads that read it meanwhile see it as it was or as it is. What other threads change in
     * it meanwhile may be lost, and so may what the function of an {@link #update} changes in it
     * after it has called this.
     *
     * @param bytes from 0 up
     * @throws StaleHandleException if the handle names no object of this heap
     * @throws IllegalArgumentException as {@link #allocate(long)} does
     * @throws OutOfMemoryError as {@link #allocate(long)} does; the object is as before
     * @throws IllegalStateException as {@link #allocate(long)} does
     */
    void resize(long handle, long bytes);

    /**
     * Allocates as many objects of zeros as an array has places, all of them or none.
     *
     * @param bytes the size of each, from 0 up
     * @param handles gets their handles; zeros if this throws
     * @throws IllegalArgumentException as {@link #allocate(long)} does
     * @throws OutOfMemoryError as {@link #allocate(long)} does
     * @throws IllegalStateException as {@link #allocate(long)} does
     */
    void allocateAll(long bytes, long[] handles);

    /**
     * Frees objects, from the first to the last.
     *
     * @throws StaleHandleException if a handle names no object of this heap; the message has its
     *     position in the array. Those before it are freed, and those after it are not
     * @throws IllegalStateException if the heap is closed; some may be freed then
     */
    void freeAll(long[] handles);

    /**
     * Copies a part of each of many objects to a segment, one after the other: where objects are
     * not in the caches of the processor, in less time than one by one, since they are loaded
     * together.
     *
     * @param offset where in each object the part begins
     * @param bytes of each part
     * @param destination gets them from its front on, in the order of the handles
     * @throws StaleHandleException if a handle names no object of this heap; the message has its
     *     position in the array. The parts before it are copied, and those after it are not
     * @throws IndexOutOfBoundsException if {@code bytes} is negative, or the segment too small for
     *     all, and then nothing is copied; or if an object does not reach so far, as said of stale
     *     handles
     * @throws IllegalStateException if the heap is closed, or the segment not alive
     * @throws WrongThreadException if the segment is confined to another thread
     */
    void getAll(long[] handles, long offset, long bytes, MemorySegment destination);

    /**
     * Runs a function in a session, for many uses of objects, for which the heap is entered once:
     * what changes or copies an object costs less in it, and does the same. A single number is read
     * without entering in any case, and so as fast.
     *
     * <p>The function may use the heap itself as well, for what a session does not have. A session
     * is for the running thread and until the function returns: after that its methods throw {@link
     * IllegalStateException}, and in any other thread {@link WrongThreadException}.
     *
     * <p>As long as the function runs, nothing of what is freed or compacted can be given back, as
     * with a function that reads an object, and a thread that needs room in this heap is refused
     * after a second; where a limit of the pool is in the way, after up to two, and one more for
     * each other heap that is held up so. So a session is for some milliseconds: what takes long
     * goes through several. The function must not call {@link #compact} or {@link #close}.
     *
     * @param function gets the session
     * @return what the function returns; what it throws is thrown
     * @throws IllegalStateException if the heap is closed
     */
    <R extends @Nullable Object> R session(Function<? super HeapObjects, ? extends R> function);

    /**
     * Whether a handle names an object of this heap.
     *
     * @throws IllegalStateException if the heap is closed
     */
    boolean isLive(long handle);

    /**
     * Names every object that is there from the beginning to the end of the call, once, and perhaps
     * some that come or go meanwhile: a handle may be stale when the function gets it.
     *
     * @param handles called outside of any critical section, so it may use, free and allocate
     *     objects and compact; what it throws is thrown
     * @throws IllegalStateException if the heap is closed
     */
    void forEach(LongConsumer handles);

    /**
     * Names some live objects that lie beside each other: from call to call page by page, from the
     * oldest page to the newest. A cache that evicts what is not wanted of these frees whole pages,
     * and compaction has little to copy.
     *
     * <p>Pages to which objects are still added are left out, and those that compaction works on:
     * so it may name nothing in a heap that is small. What compaction copies gets into a new page.
     * Of a page to which another thread is just adding its last object, some may be left out.
     *
     * @param position 0 for the oldest page, or what this returned before
     * @param handles gets handles of objects, of which other threads may free some, and zeros
     *     behind them
     * @return where to go on; {@code position} if there is no such page from there on
     * @throws IllegalArgumentException if the position is negative
     * @throws IllegalStateException if the heap is closed
     */
    long nextOldest(long position, long[] handles);

    /**
     * Compacts at once, in the running thread, as far as it is worth it. The pool has what is freed
     * so, and its {@link io.polder.MemoryPool#trim trim} gives that back to the operating system.
     *
     * @return how many bytes of pages were given back to the pool
     * @throws IllegalStateException if the heap is closed, or the thread is reading or changing an
     *     object of any heap, or is in a session
     */
    long compact();

    /** What it holds and has done. May be asked of a closed heap, too. */
    HeapStatistics stats();

    /**
     * Closes the heap: its handles name nothing any more. Waits for threads that read or change
     * objects; then all memory goes back to the pool. Closing again does nothing.
     *
     * @throws IllegalStateException if the running thread is reading or changing an object of any
     *     heap, or is in a session
     */
    @Override
    void close();
}
