package io.polder.arena;

import io.polder.leak.LeakTracker;
import io.polder.memory.FieldHandle;

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
 * <p><b>Cleanup actions.</b> The JDK runs those of one lifetime one after the other, and an {@link
 * Error} of one drops the rest. So no lifetime has actions of two members: the first that is asked
 * for its {@link #scope} has that of the group, which nobody joins from then on; any other has that
 * of its own arena, has all further memory from there, and leaves the group when that is closed.
 *
 * <p><b>Errors.</b> A close that throws has closed the arena, or not; one more close goes on.
 * Its steps are stores, and one atomic change each, that say whether they are done; only what is
 * retained may be counted twice.
 *
 * <p>Thread-safe: {@code lock} guards the close, and opening what it has beyond its group; an
 * allocation that races with the close gets memory that lives as long as the group, or an
 * exception.
 */
final class DeferredArena implements SharedAllocation {
    private static final VarHandle BYTES =
            FieldHandle.of(MethodHandles.lookup(), "bytes", long.class);

    /** Not the arena itself, on which its users may synchronize. */
    private final Object lock = new Object();

    private final DeferredGroups groups;
    private final DeferredGroup group;

    /** Whether a close has begun; guarded by {@code lock}, but for those who only look. */
    private volatile boolean closed;

    /** Whether it has left the group: the close is done. */
    private boolean left;

    /** What it claimed of the group's memory. */
    @SuppressWarnings("unused") // through BYTES
    private volatile long bytes;

    private @Nullable DeferredGroup beyond;

    /** What users know as its scope; null as long as nobody asked. Written with the lock held. */
    private volatile MemorySegment.@Nullable Scope scope;

    /** Whether that is not the group's. */
    private volatile boolean apart;

    /** Tracks leaks of the arena; null if it is not. */
    private final @Nullable LeakTracker tracker;

    /** A member of a group that it has joined. */
    DeferredArena(DeferredGroups groups, DeferredGroup group, @Nullable LeakTracker tracker) {
        this.groups = groups;
        this.group = group;
        this.tracker = tracker;
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment, boolean overwritten) {
        Arguments.checkAllocation(byteSize, byteAlignment);
        checkOpen();
        // At most; negative if there is no such size.
        long claim = byteSize + Math.max(ConfinedArena.MALLOC_ALIGNMENT, byteAlignment);
        if (claim < byteSize || apart || !group.charge(claim)) {
            group.sealIfWorthClosing();
            return allocateBeyond(byteSize, byteAlignment, overwritten);
        }
        try {
            MemorySegment segment = group.arena.allocate(byteSize, byteAlignment, overwritten);
            long before = (long) BYTES.getAndAdd(this, claim);
            if (tracker != null) {
                DeferredGroup own = beyond; // a benign race: seen late, a leak is told too small
                tracker.holds(before + claim + (own == null ? 0 : own.arena.heldBytes()));
            }
            return segment;
        } catch (Throwable failure) {
            group.chargedBytes.addAndGet(-claim);
            throw failure;
        }
    }

    private MemorySegment allocateBeyond(long byteSize, long byteAlignment, boolean overwritten) {
        DeferredGroup own;
        synchronized (lock) {
            checkOpen();
            own = beyondLocked();
        }
        MemorySegment segment = own.arena.allocate(byteSize, byteAlignment, overwritten);
        if (tracker != null) {
            tracker.holds(bytes + own.arena.heldBytes());
        }
        return segment;
    }

    private DeferredGroup beyondLocked() {
        DeferredGroup own = beyond;
        if (own == null) {
            own = groups.openBeyond();
            beyond = own;
        }
        return own;
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException(Arguments.CLOSED);
        }
    }

    @Override
    public MemorySegment.Scope scope() {
        LeakTracker.scopeGiven(tracker);
        MemorySegment.Scope known = scope;
        return known == null ? firstScope() : known;
    }

    private MemorySegment.Scope firstScope() {
        synchronized (lock) {
            MemorySegment.Scope known = scope;
            if (known == null) {
                known = firstScopeLocked();
                scope = known;
            }
            return known;
        }
    }

    private MemorySegment.Scope firstScopeLocked() {
        if (closed) { // nothing can be registered any more
            Arena ended = Arena.ofShared();
            ended.close();
            return ended.scope();
        }
        if (group.claimActions()) {
            return group.arena.scope();
        }
        DeferredGroup own = beyondLocked();
        own.keeps = group;
        apart = true;
        return own.arena.scope();
    }

    @Override
    public void close() {
        DeferredGroup own;
        synchronized (lock) {
            if (left) {
                throw new IllegalStateException(Arguments.CLOSED);
            }
            closed = true;
            LeakTracker.close(tracker); // now: an error behind this would have it found as a leak
            own = beyond;
            if (own != null) {
                own.leaveOne();
            }
            group.retainedBytes.addAndGet(bytes); // an error behind this makes it count twice
            if (!apart) {
                group.leave(); // otherwise that follows when what it has beyond is closed
            }
            left = true;
        }
        groups.left(
                (own == null ? 0 : Math.max(DeferredGroup.BYTES_MAX, own.arena.heldBytes()))
                        + (group.isReady() ? DeferredGroup.BYTES_MAX : 0));
    }
}
