package io.polder.cache;

import java.lang.foreign.MemorySegment;

/**
 * An entry as a {@link Cursor} has met it.
 *
 * <pre>{@code
 *   whole       its bytes
 *   otherwise   its front, which is all but the value; and the handle. Who wants the value reads
 *               it by that: it names the same entry later, or none, since the memory of large
 *               entries is not written again
 * }</pre>
 *
 * <p>For one thread.
 */
final class Met {
    final byte[] bytes;
    final long handle;

    private Met(byte[] bytes, long handle) {
        this.bytes = bytes;
        this.handle = handle;
    }

    static Met whole(byte[] bytes) {
        return new Met(bytes, Store.NONE);
    }

    static Met front(byte[] front, long handle) {
        return new Met(front, handle);
    }

    boolean isWhole() {
        return handle == Store.NONE;
    }

    /** What it has of the entry: the front at least. */
    MemorySegment segment() {
        return MemorySegment.ofArray(bytes);
    }
}
