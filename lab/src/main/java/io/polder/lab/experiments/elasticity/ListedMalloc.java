package io.polder.lab.experiments.elasticity;

import io.polder.lab.harness.Malloc;
import io.polder.memory.Zeroing;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Malloc alone, as in the published comparison: each block its own, and in front of it a header by
 * which its owner finds it when it dies.
 *
 * <pre>{@code
 *   head of the owner ---> | next | previous | block ... |
 *                            |
 *                            +---> | next | previous | block ... |
 * }</pre>
 *
 * <p>The newest block comes first. The list is linked both ways so that one block could be freed
 * alone; nobody does so here.
 */
final class ListedMalloc implements OwnedMemory {
    private static final long NEXT = 0;
    private static final long PREVIOUS = 8;
    private static final long HEADER_BYTES = 16;
    private static final long NONE = 0;
    private static final MemorySegment ALL = Zeroing.ADDRESS_SPACE;

    private final long[] heads;

    /** Creates a contender for so many owners. */
    ListedMalloc(int owners) {
        heads = new long[owners];
    }

    @Override
    public void open(int owner) {
        heads[owner] = NONE;
    }

    @Override
    public long allocate(int owner, long bytes) {
        long header = Malloc.malloc(HEADER_BYTES + bytes);
        long head = heads[owner];
        ALL.set(ValueLayout.JAVA_LONG, header + NEXT, head);
        ALL.set(ValueLayout.JAVA_LONG, header + PREVIOUS, NONE);
        if (head != NONE) {
            ALL.set(ValueLayout.JAVA_LONG, head + PREVIOUS, header);
        }
        heads[owner] = header;
        return header + HEADER_BYTES;
    }

    @Override
    public void close(int owner) {
        long header = heads[owner];
        while (header != NONE) {
            long next = ALL.get(ValueLayout.JAVA_LONG, header + NEXT);
            Malloc.free(header);
            header = next;
        }
        heads[owner] = NONE;
    }
}
