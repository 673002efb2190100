package io.polder.arena;

import io.polder.leak.Lease;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * An arena of all threads whose close does not wait for them: a member of a {@link DeferredGroup}.
 *
 * <pre>{@code
 *   member  --allocate-->  group's arena      small, while the group has room
 *              \-------->  beyond             an arena of its own, for the rest
 *
 *   open  --close-->  closed: refuses to allocate    the group's arena closes with its last member,
 *                                                    the one beyond soon, both in the background
 * }</pre>
 *
 * <p>Its segments stay accessible until that real close, which is the JDK's; memory is cleared and
 * used again after it, never before.
 *
 * <p>Thread-safe: {@code closed} is set by compare-and-set, once; an allocation that races with the
 * close gets memory that lives as long as the group, or an exception.
 */
final class DeferredArena implements Arena {
    private static final VarHandle CLOSED;
    private static final VarHandle BYTES;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            CLOSED = lookup.findVarHandle(DeferredArena.class, "closed", boolean.class);
            BYTES = lookup.findVarHandle(DeferredArena.class, "bytes", long.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private final DeferredGroups groups;
    private final DeferredGroup group;
    private volatile boolean closed;

    /** What it claimed of the group's memory. */
    @SuppressWarnings("unused") // through BYTES
    private volatile long bytes;

    private @Nullable SharedArena beyond;

    /** What is watched in place of the arena; null if it is not. */
    private final @Nullable Lease lease;

    /** A member of a group that it has joined. */
    DeferredArena(DeferredGroups groups, DeferredGroup group, @Nullable Lease lease) {
        this.groups = groups;
        this.group = group;
        this.lease = lease;
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        Arguments.checkAllocation(byteSize, byteAlignment);
        checkOpen();
        long claim = byteSize + Math.max(ConfinedArena.MALLOC_ALIGNMENT, byteAlignment);
        if (claim < byteSize || !group.charge(claim)) {
            group.sealIfWorthClosing();
            return allocateBeyond(byteSize, byteAlignment);
        }
        try {
            MemorySegment segment = group.arena().allocate(byteSize, byteAlignment);
            long before = (long) BYTES.getAndAdd(this, claim);
            if (lease != null) {
                SharedArena own = beyond; // a benign race: seen late, a leak is told too small
                lease.holds(before + claim + (own == null ? 0 : own.heldBytes()));
            }
            return segment;
        } catch (OutOfMemoryError failure) {
            group.uncharge(claim);
            throw failure;
        }
    }

    @Override
    public MemorySegment allocate(long byteSize) {
        return allocate(byteSize, ConfinedArena.MALLOC_ALIGNMENT);
    }

    private MemorySegment allocateBeyond(long byteSize, long byteAlignment) {
        SharedArena own;
        synchronized (this) {
            checkOpen();
            own = beyond;
            if (own == null) {
                own = groups.openBeyond();
                beyond = own;
            }
        }
        MemorySegment segment = own.allocate(byteSize, byteAlignment);
        if (lease != null) {
            lease.holds(bytes + own.heldBytes());
        }
        return segment;
    }

    private void checkOpen() {
        if (closed) {
            throw alreadyClosed();
        }
    }

    private static IllegalStateException alreadyClosed() {
        return new IllegalStateException("Already closed");
    }

    @Override
    public MemorySegment.Scope scope() {
        return group.arena().scope();
    }

    @Override
    public void close() {
        if (!CLOSED.compareAndSet(this, false, true)) {
            throw alreadyClosed();
        }
        SharedArena own;
        synchronized (this) {
            own = beyond;
        }
        if (own != null) {
            groups.closeLater(own);
        }
        group.leave(bytes);
        groups.left();
        if (lease != null) {
            lease.close();
        }
    }
}
