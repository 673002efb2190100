package io.polder.block;

import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryExhaustedException;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;

/**
 * What is done where a thread cannot allocate or free by itself: with the monitor of an owner, for
 * a page, for another thread's block.
 *
 * <p>Thread-safe; errors and failures as {@link BlockSpace} has them.
 *
 * @param space whose blocks they are
 * @param exhaustion is asked for room before a block is refused, and told when it is
 * @param roomy whether a lone or large block is to have room to grow where it is
 */
record SlowPath(BlockSpace space, Exhaustion exhaustion, boolean roomy) {
    /** No address space is larger. */
    static final long ADDRESS_SPACE_BYTES = 1L << 47;

    /** Allocates a block of a class. */
    long allocate(int sizeClass) {
        return allocate(sizeClass, 0, false);
    }

    /** Allocates a block that is larger than those of any class, or refuses it. */
    long allocateLarge(long bytes, boolean zero) {
        if (bytes < 0) {
            throw new IllegalArgumentException("0 <= bytes: bytes=" + bytes);
        }
        if (bytes > ADDRESS_SPACE_BYTES) {
            throw new OutOfMemoryError("a block must fit the address space: bytes=" + bytes);
        }
        return allocate(SizeClass.COUNT, Math.max(1, bytes), zero);
    }

    private long allocate(int sizeClass, long bytes, boolean zero) {
        int left = Exhaustion.ATTEMPTS_MAX;
        while (true) {
            long ended = exhaustion.closesEnded();
            MemoryExhaustedException exhausted;
            try {
                return sizeClass < SizeClass.COUNT ? take(sizeClass) : takeLarge(bytes, zero);
            } catch (MemoryExhaustedException refused) {
                exhausted = refused;
            }
            left = exhaustion.makeRoom(left, ended, exhausted);
        }
    }

    private long take(int sizeClass) {
        Thread current = Thread.currentThread();
        long id = current.threadId();
        ThreadHeap own = space.owners.of(current);
        try {
            return take(own, sizeClass);
        } finally {
            if (own.claimed == id) {
                own.claimed = 0; // no call: a block may be taken
            }
        }
    }

    /** Takes a block from an owner; leaves its monitor before others may claim it. */
    private long take(ThreadHeap own, int sizeClass) {
        synchronized (own) {
            space.checkOpen(); // here: a thread that closes the space takes the monitor
            own.biasLocked();
            try {
                own.makeFreeLocked(sizeClass, roomy);
            } finally { // it is biased also if it is refused
                space.needsTick.run(); // now: before its span came a tick might be the last
            }
            return own.allocate(sizeClass);
        }
    }

    private long takeLarge(long bytes, boolean zero) {
        space.checkOpen();
        Span span = space.large.take(bytes, zero, roomy);
        span.used = 1;
        return span.base;
    }

    /**
     * Frees a block. Its owner may be that of the running thread, another one, or none. What is
     * freed is free whatever happens then: the program must not free it again.
     *
     * @param id of the running thread
     * @param inARow whether it may have freed another block of the span just before
     */
    void free(Span span, long address, long id, boolean inARow) {
        if (span.isLarge()) {
            if (!space.large.free(span)) {
                throw space.misuse.refused(address);
            }
            try {
                space.needsTick.run();
            } catch (Throwable later) {
                // It is freed, and the next free tells.
            }
            return;
        }
        ThreadHeap owner = span.owner;
        if (owner.threadId == id) {
            freeLocking(span, address, owner);
            return;
        }
        boolean isBatched = inARow && isInOwnBatch(address, id);
        if (isBatched || span.usedOpaque() <= 0 || span.isFreed(address)) {
            throw space.misuse.refused(address);
        }
        ThreadHeap own = inARow && mayBatch(span) ? enter(span, id) : null;
        if (own != null) {
            freeInBatch(own, span, address);
        } else if (span.addFreed(address)) {
            boolean announced = false;
            try {
                boolean first = span.owner.announced.add(span);
                announced = true;
                if (first) {
                    space.needsTick.run();
                }
            } catch (Throwable later) {
                space.lost.announcements += announced ? 0 : 1; // its span is lost at most
            }
        }
    }

    /** Whether the running thread has just freed a block. */
    private boolean isInOwnBatch(long address, long id) {
        ThreadHeap own = space.owners.guess(id);
        return own.batch.span != null && own.batch.first == address && own.threadId == id;
    }

    /** Whether a block may wait for others of its span before they are free for its owner. */
    private boolean mayBatch(Span span) {
        return span.blockBytes <= RemoteBatch.BLOCK_BYTES_MAX && !space.isOneByOne();
    }

    /**
     * Has the running thread enter what it has itself; also where it was revoked, or where it has
     * nothing yet and frees much.
     *
     * @return that; null if it has nothing, and frees this block by itself
     */
    private @Nullable ThreadHeap enter(Span span, long id) {
        ThreadHeap entry = space.owners.guess(id);
        if (entry.enter(id)) {
            return entry;
        }
        boolean isOwn = entry.threadId == id;
        if (!isOwn && RemoteFrees.count(span.freedOpaque()) < RemoteBatch.COUNT_MAX) {
            return null;
        }
        try {
            ThreadHeap own = isOwn ? entry : space.owners.of(Thread.currentThread(), false);
            if (own.threadId != id) {
                return null; // those who share one have no batch
            }
            synchronized (own) {
                own.biasLocked();
            }
            return own.enter(id) ? own : null;
        } catch (Throwable failure) {
            return null;
        }
    }

    /** Frees a block with others of its span. To be called inside; leaves. */
    private void freeInBatch(ThreadHeap own, Span span, long address) {
        boolean needed;
        try {
            needed = own.batch.add(span, address, space.lost);
        } catch (Throwable failure) {
            own.leave();
            throw failure;
        }
        try {
            own.leave();
            if (needed) {
                VarHandle.fullFence(); // a tick that has looked before is seen to have ended
                space.needsTick.run();
            }
        } catch (Throwable later) {
            // It is freed. Its thread may be inside until its next call, and the next batch tells.
        }
    }

    private void freeLocking(Span span, long address, ThreadHeap owner) {
        synchronized (owner) {
            if (span.used <= 0) {
                throw space.misuse.refused(address);
            }
            owner.biasLocked(); // after that: then a tick must be due
            boolean empty = owner.free(span, address);
            try {
                if (empty) {
                    boolean _ = owner.retireLocked(span);
                }
                space.needsTick.run();
            } catch (Throwable later) {
                // It is freed, and its span lost at most.
            }
        }
    }
}
