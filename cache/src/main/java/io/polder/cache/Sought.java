package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * A value that somebody asks for, by its bytes. They are written once something has as many: to the
 * Java heap, or outside it if they are many. A value that its codec refuses, whatever it throws,
 * has no bytes; what is equal to it is found all the same.
 *
 * <p>For one operation of one thread.
 */
final class Sought implements AutoCloseable {
    private static final long REFUSED = -1;

    private long bytes;
    private final Consumer<MemorySegment> writer;
    private @Nullable MemorySegment written;
    private @Nullable Arena arena;

    /**
     * @param bytes how many bytes it has
     * @param writer has the codec write them
     */
    Sought(long bytes, Consumer<MemorySegment> writer) {
        this.bytes = bytes;
        this.writer = writer;
    }

    /** A value that its codec refuses. */
    static Sought refused() {
        return new Sought(REFUSED, _ -> {});
    }

    /** The bytes, if something of this size may have them; null otherwise. */
    @Nullable MemorySegment ofSize(long size) {
        if (size != bytes) {
            return null;
        }
        MemorySegment known = written;
        return known != null || bytes == REFUSED ? known : write();
    }

    private @Nullable MemorySegment write() {
        MemorySegment made;
        if (bytes <= EntryCodec.ARRAY_BYTES_MAX) {
            made = MemorySegment.ofArray(new byte[(int) bytes]);
        } else {
            arena = Arena.ofConfined();
            made = arena.allocate(bytes, Long.BYTES);
        }
        try {
            writer.accept(made);
        } catch (Exception _) {
            bytes = REFUSED;
            close();
            return null;
        }
        written = made;
        return made;
    }

    @Override
    public void close() {
        Arena own = arena;
        arena = null;
        if (own != null) {
            own.close();
        }
    }
}
