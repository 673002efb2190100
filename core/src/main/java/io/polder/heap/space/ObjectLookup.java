package io.polder.heap.space;

import io.polder.heap.StaleHandleException;
import io.polder.memory.Message;

/**
 * Where the objects of handles are; to be asked inside the access gate.
 *
 * <p>Thread-safe.
 */
record ObjectLookup(int tag, HandleTable table, Evacuation evacuation) {

    /** The generation of a handle of this heap; one that no object has, of others. */
    int generation(long handle) {
        return HandleLayout.tag(handle) == tag ? HandleLayout.generation(handle) : -1;
    }

    /** The handle of the object that a word is of. */
    long handle(long index, long word) {
        return HandleLayout.of(tag, HandleWordLayout.generation(word), index);
    }

    /** Whether a handle names an object. */
    boolean isLive(long handle) {
        long word = table.word(HandleLayout.index(handle));
        return HandleWordLayout.names(word, generation(handle));
    }

    /** Where the object of a handle is now. */
    long address(long handle) {
        long word = table.wordIfDense(HandleLayout.index(handle));
        return HandleWordLayout.isLiveOf(word, HandleLayout.generationIf(handle, tag))
                ? HandleWordLayout.address(word)
                : addressOfAny(handle);
    }

    /** The same for objects that are pinned or copied, or whose words are elsewhere. */
    private long addressOfAny(long handle) {
        long word = table.word(HandleLayout.index(handle));
        if (!HandleWordLayout.names(word, generation(handle))) {
            throw stale(handle, word);
        }
        return HandleWordLayout.address(word);
    }

    /**
     * The word of an object behind the write barrier, for a change while a cycle is on; if it is
     * pinned, it is counted.
     */
    long resolveForUpdate(long handle, PinCounts counted) {
        long word =
                evacuation.writeBarrier(HandleLayout.index(handle), generation(handle), counted);
        if (!HandleWordLayout.names(word, generation(handle))) {
            throw stale(handle, word);
        }
        return word;
    }

    /** Takes back what {@link #resolveForUpdate} has counted. */
    static void updateEnded(long handle, long word, PinCounts counted) {
        if (HandleWordLayout.state(word) == HandleWordLayout.PINNED) {
            counted.leave(HandleLayout.index(handle));
        }
    }

    StaleHandleException stale(long handle, long word) {
        int was = HandleLayout.generation(handle);
        int last =
                Math.max(
                        HandleWordLayout.generation(word), table.floor(HandleLayout.index(handle)));
        String why;
        if (handle == 0) {
            why = "0 is no handle";
        } else if (HandleLayout.tag(handle) != tag) {
            why = "it is not a handle of this heap";
        } else if (was == last && was != 0) {
            why = "its object was freed";
        } else if (was < last && was != 0) {
            why = "its object was freed, and its place has had others";
        } else {
            why = "there never was such an object";
        }
        return new StaleHandleException(
                Message.of(
                        "a handle must name an object of this heap: %: handle=0x%, index=%,"
                                + " generation=%, lastGeneration=%",
                        why, handle, HandleLayout.index(handle), was, last));
    }
}
