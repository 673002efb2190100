package io.polder.heap.space;

import java.lang.foreign.MemorySegment;

/**
 * Reads of numbers and of up to {@value SmallCopy#MAX_BYTES} bytes of an object, without a critical
 * section of the access gate.
 *
 * <pre>{@code
 *   given -> word -> given? -> header -> given? -> bytes -> given?       and each time: no page was
 *                      |                   |                  |          given back since
 *                      +-------------------+------------------+--> else: read inside the gate
 * }</pre>
 *
 * <p><b>Why that is right.</b> What makes memory that was an object's, or a leaf's of the handle
 * table, something else is that its page is given back, or becomes another region's: {@link
 * HeapPages} count both first. So as long as none was given, all that was read stood where it was
 * looked for; and a page is given only when no word and no entry of the directory leads there any
 * more. A read that finds the count unchanged is as good as one inside the gate: it has seen the
 * bytes where they were when it read the word, or later.
 *
 * <p>The count decides and not the word: a word may be the same again, of an object that has moved
 * to and fro, or of another one whose leaf came to lie there.
 *
 * <p><b>Why no more is touched.</b> What was read of a page that has gone is anything. So a word is
 * believed before its address is used, and a header before its size is. Between a look at the count
 * and the next load the thread may stand still as long as it likes, and pages go meanwhile: their
 * addresses stay mapped ({@link io.polder.page.space.PageSpace#leaveMapped}), and what is found
 * there is not believed. A size that is not in the header stands before the page, where nothing
 * need be mapped, so it is not read. Where pages cannot be left mapped, the table that is asked is
 * another one, without a leaf: a word may not be read either, not even of a heap that is closed.
 *
 * <p><b>Why so few bytes.</b> Nothing is written before it is known to be right, so all bytes have
 * to fit into local variables ({@link SmallCopy}). What is longer would be written to its
 * destination first, and might be somebody else's.
 *
 * <p>Anything but an object that is LIVE in a dense leaf is not read here. When the heap is closed,
 * the tag becomes one that no handle has, before any page is given for that: so a thread
 * that begins later is refused by the gate.
 *
 * <p>Ordering. The count is read with acquire, and again behind a fence of loads; it is written
 * before a full fence, and the page is given after that.
 *
 * <p>Thread-safe.
 */
final class OptimisticReads {
    /** Instead of a size. */
    private static final long NOT_READ = -1;

    /** What handles carry; read after the count. */
    private volatile int tag;

    private final HandleTable table;
    private final HeapPages pages;
    private final Contents claimed;

    /**
     * Reads of objects.
     *
     * @param tag what handles of this heap carry
     * @param claimed reads inside the gate
     */
    OptimisticReads(int tag, HandleTable table, HeapPages pages, Contents claimed) {
        this.tag = tag;
        this.table = pages.leftMapped ? table : new HandleTable();
        this.pages = pages;
        this.claimed = claimed;
    }

    /** Finds no object any more: before the pages of a heap that is closed are given back. */
    void end() {
        tag = HandleLayout.NO_TAG;
    }

    /**
     * Where an object is, if that can be found here and no page was given back meanwhile.
     *
     * @param given how many pages had been given back before
     * @return 0 if it cannot
     */
    private long address(long handle, long given) {
        long word = table.wordIfDense(HandleLayout.index(handle));
        return HandleWordLayout.isLiveOf(word, HandleLayout.generationIf(handle, tag))
                        && pages.noneGivenSince(given)
                ? HandleWordLayout.address(word)
                : 0;
    }

    /** A number of so many bytes: 1, 4 or 8. */
    long get(long handle, long offset, int bytes) {
        long given = pages.given;
        long address = address(handle, given);
        if (address != 0) {
            long size = ObjectLayout.shortSizeBytes(address);
            if (pages.noneGivenSince(given) && offset >= 0 && offset <= size - bytes) {
                long value = RawAccess.get(ObjectLayout.content(address) + offset, bytes);
                if (pages.noneGivenSince(given)) {
                    return value;
                }
            }
        }
        return claimed.inside(Contents.GET_NUMBER, handle, offset, bytes, 0, null);
    }

    /** Copies an object to the front of a segment, as far as there is room; returns its size. */
    long getAll(long handle, MemorySegment destination) {
        long size = SmallCopy.takes(destination) ? tryGetAll(handle, destination) : NOT_READ;
        return size == NOT_READ
                ? claimed.inside(Contents.GET_ALL, handle, 0, 0, 0, destination)
                : size;
    }

    private long tryGetAll(long handle, MemorySegment destination) {
        long given = pages.given;
        long address = address(handle, given);
        if (address != 0) {
            long size = ObjectLayout.shortSizeBytes(address);
            long room = destination.byteSize();
            if (pages.noneGivenSince(given) && SmallCopy.takes(size)) {
                long from = ObjectLayout.content(address);
                if (size == room) { // known before the object's size has come from memory
                    return SmallCopy.copy(from, destination, room, pages, given) ? room : NOT_READ;
                }
                if (size < room) {
                    return SmallCopy.copy(from, destination, size, pages, given) ? size : NOT_READ;
                }
            }
        }
        return NOT_READ;
    }

    /** Copies a part of an object to a segment, which it fills. */
    void get(long handle, long offset, MemorySegment destination) {
        if (!SmallCopy.takes(destination.byteSize())
                || !SmallCopy.takes(destination)
                || !tryGet(handle, offset, destination)) {
            long _ = claimed.inside(Contents.GET, handle, offset, 0, 0, destination);
        }
    }

    private boolean tryGet(long handle, long offset, MemorySegment destination) {
        long given = pages.given;
        long address = address(handle, given);
        if (address != 0) {
            long bytes = destination.byteSize();
            long size = ObjectLayout.shortSizeBytes(address);
            if (pages.noneGivenSince(given) && offset >= 0 && offset <= size - bytes) {
                long from = ObjectLayout.content(address) + offset;
                return SmallCopy.copy(from, destination, bytes, pages, given);
            }
        }
        return false;
    }

    /** The size of an object. */
    long size(long handle) {
        long given = pages.given;
        long address = address(handle, given);
        if (address != 0) {
            long size = ObjectLayout.shortSizeBytes(address);
            if (pages.noneGivenSince(given) && size <= ObjectLayout.SHORT_MAX_BYTES) {
                return size;
            }
        }
        return claimed.inside(Contents.SIZE, handle, 0, 0, 0, null);
    }

    /** Whether there is an object. */
    boolean isLive(long handle) {
        return address(handle, pages.given) != 0
                || claimed.inside(Contents.IS_LIVE, handle, 0, 0, 0, null) != 0;
    }
}
