package io.polder.arena;

import io.polder.chunk.ChunkLevel;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.page.space.Deadline;
import io.polder.page.space.LineRequest;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * An allocation that a thread waits for in the queue, with those who wait for pages.
 *
 * <p>What waits to be closed is closed before the thread waits in the queue, and by whoever closes
 * more meanwhile, but not by a thread in the queue: actions of users would hold up those behind it.
 * What an arena has room for is allocated at once, since it keeps nobody in the queue from
 * anything.
 *
 * <p><b>Errors.</b> Those of an allocation, which are the arena's concern, and those of the line.
 *
 * <p>Belongs to one thread.
 */
final class AllocationRequest implements LineRequest<MemorySegment> {
    private final ChunkSource source;
    private final SegmentAllocator allocator;
    private final @Nullable PooledArena arena;
    private final long bytes;
    private final long alignment;

    /** Whether it was tried; one of which nothing is known is tried before it is its turn. */
    private boolean tried;

    private AllocationRequest(
            ChunkSource source, SegmentAllocator allocator, long bytes, long alignment) {
        this.source = source;
        this.allocator = allocator;
        this.arena = allocator instanceof PooledArena pooled ? pooled : null;
        this.bytes = bytes;
        this.alignment = alignment;
    }

    /**
     * Allocates, and waits for memory meanwhile; see {@link ArenaFactory#allocate}.
     *
     * @param pages where one waits in the queue
     */
    static MemorySegment allocate(
            ChunkSource source,
            PageSpace pages,
            SegmentAllocator allocator,
            long bytes,
            long alignment,
            Deadline deadline)
            throws InterruptedException {
        Arguments.checkAllocation(bytes, alignment);
        AllocationRequest request = new AllocationRequest(source, allocator, bytes, alignment);
        if (request.hasRoom()) {
            try {
                return allocator.allocate(bytes, alignment);
            } catch (OutOfMemoryError full) {
                // Another thread was faster.
            }
        }
        try {
            if (Math.max(bytes, alignment) > MemoryLimits.ADDRESS_SPACE_BYTES) {
                return allocator.allocate(bytes, alignment); // throws
            }
            if (request.arena != null && !source.space().limits().isNone()) {
                pages.checkLimits(request.bytes());
            }
            try {
                return pages.await(request, new Deadline(0));
            } catch (MemoryExhaustedException notYet) {
                return pages.await(request, deadline, source::makeRoom);
            }
        } catch (MemoryExhaustedException none) {
            OutOfMemoryError failure = none.toOutOfMemoryError();
            source.tell(failure);
            throw failure;
        } catch (OutOfMemoryError never) {
            source.tell(never);
            throw never;
        }
    }

    /**
     * Refuses what other pools have to give.
     *
     * @param arena whose memory is to come from the source
     */
    static void checkOwn(ChunkSource source, Arena arena) {
        if (arena instanceof PooledArena pooled && pooled.source() != source) {
            throw new IllegalArgumentException(
                    "an arena must be of the pool whose memory it waits for: arena=" + arena);
        }
    }

    private boolean hasRoom() {
        return arena != null && arena.hasRoom(bytes, alignment);
    }

    @Override
    public boolean passesOthers() {
        return arena == null ? !tried : hasRoom();
    }

    @Override
    public MemorySegment attempt() {
        tried = true;
        try {
            return allocator.allocate(bytes, alignment);
        } catch (OutOfMemoryError failure) {
            if (!(failure.getCause() instanceof MemoryExhaustedException exhausted)
                    || exhausted.never()) {
                throw failure;
            }
            source.checkOpen();
            throw exhausted;
        }
    }

    @Override
    public long bytes() {
        return needBytes(bytes, alignment);
    }

    @Override
    public MemoryExhaustedException refusal() {
        return source.space().committedExhausted(bytes());
    }

    /** What an arena needs at least: whole granules where no root chunk holds it. */
    private static long needBytes(long bytes, long alignment) {
        if (Math.max(bytes, alignment) <= ChunkLevel.ROOT_BYTES) {
            return bytes;
        }
        return PageSpace.roundUp(bytes + Math.max(0, alignment - PageSpace.GRANULE_BYTES));
    }
}
