package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.Zeroing;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.Arrays;

/**
 * The spans that one thread allocates from, or a few virtual threads.
 *
 * <pre>{@code
 *   current[class]  -->  span --> span --> span      available: some block is free, or not carved
 *
 *   remote          -->  block --> block --> block   freed by other threads, of any of its spans
 * }</pre>
 *
 * <p><b>Who may touch it.</b> Whoever holds its monitor, and nobody else, but for the thread that
 * it is <i>biased</i> to: that may as well without the monitor, between {@link #enter} and {@link
 * #leave}, and pays two stores and a load for it, no atomic instruction.
 *
 * <pre>{@code
 *   owner                              who holds the monitor: revoke
 *   inside = 1                         biased = 0
 *   order for the compiler             fence of all threads
 *   biased == my id ? go on : leave    wait until inside == 0
 *   ...
 *   inside = 0
 * }</pre>
 *
 * <p>One of the two sees the other's store, as with gates. An owner that finds itself revoked takes
 * the monitor, and is biased again when it leaves it. So whoever trims reaches what a thread has
 * that sleeps. Before the fence is known to work ({@link io.polder.gate.GateFence}) nobody is
 * biased. Virtual threads never are, and share the owner that their id names.
 *
 * <p><b>Remote frees.</b> A free by any other thread links the block to the remote list, by one
 * compare-and-set. All of the list is taken at once, so nothing can be there twice in between. That
 * is done before a span is carved or taken.
 *
 * <p><b>When the thread has ended</b>, the next new thread takes all of it over; meanwhile ticks
 * and trims look after it like any other. {@link SpanOwners} sees to that.
 *
 * <p><b>Errors.</b> A block is taken or freed by stores after which nothing is called. A list taken
 * is stored in {@link #taken}, and each block leaves it as it is freed. A span on its way is in
 * {@link #coming} or {@link #leaving}: who holds the monitor next ends that. An owner that an error
 * cuts off inside stays <i>inside</i> until its next call, and cannot be revoked until then.
 */
final class ThreadSpans {
    private static final VarHandle BIASED = handle("biased", long.class);
    private static final VarHandle INSIDE = handle("inside", int.class);

    /** What owns nothing. */
    static final ThreadSpans NOBODY = new ThreadSpans();

    /** The id of who is shared by virtual threads; no thread has it. */
    static final long SHARED = -1;

    /** So often is looked whether an owner has left; it is inside for nanoseconds. Guessed. */
    private static final int LOOKS = 10_000;

    /** After so many looks, others may run: the owner may wait for a processor. */
    private static final int LOOKS_IN_A_ROW = 1_000;

    private final @Nullable BlockSpace space;

    /** The {@link Thread#threadId()} that may enter without the monitor; 0 if none may. */
    private long biased;

    @SuppressWarnings("UnusedVariable") // read by INSIDE
    private int inside;

    /** The first available span of each class. */
    final Span[] current = new Span[SizeClass.COUNT];

    /** What other threads have freed. */
    private final RemoteFrees remote = new RemoteFrees();

    /** Whose it is. Written with the monitor; who asks whether it is his needs none. */
    long threadId;

    private @Nullable WeakReference<Thread> thread;

    /** What is left of the remote list that was taken last. */
    private long taken;

    /** A span that is to be one of these. */
    private @Nullable Span coming;

    /** A span that is one of these no longer. */
    private @Nullable Span leaving;

    /** Whether one may be empty, and not the first, that an error kept from being retired. */
    private boolean owesRetirement;

    /** How many spans it has. */
    private int spanCount;

    /** In the ring of {@link SpanOwners}; guarded by that. */
    @Nullable ThreadSpans next;

    private static VarHandle handle(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(ThreadSpans.class, name, type);
        } catch (ReflectiveOperationException impossible) {
            throw new LinkageError("a field of this class", impossible);
        }
    }

    private ThreadSpans() {
        this.space = null;
    }

    /** Of nobody yet. */
    ThreadSpans(BlockSpace space) {
        this.space = space;
        Arrays.fill(current, Span.NONE);
    }

    private BlockSpace space() {
        BlockSpace its = space;
        if (its == null) {
            throw new AssertionError("nobody has no spans");
        }
        return its;
    }

    // The owner, inside

    /** Whether it is biased to a thread, as far as one can see. Then that may try to enter. */
    boolean isBiasedTo(long id) {
        return biased == id;
    }

    /**
     * Has the running thread inside, if it is still biased to it. Whatever it returns, {@link
     * #leave} must follow.
     */
    boolean enter(long id) {
        INSIDE.setOpaque(this, 1);
        VarHandle
                .acquireFence(); // keeps the compiler's order; the processor's is who revokes' work
        return (long) BIASED.getOpaque(this) == id;
    }

    void leave() {
        INSIDE.setRelease(this, 0);
    }

    /**
     * Allocates a block without carving. To be called inside, or with the monitor.
     *
     * @return 0 if none is free that was carved
     */
    long allocate(int sizeClass) {
        Span span = current[sizeClass];
        long block = span.head;
        if (block == 0) {
            span = next(sizeClass);
            block = span.head;
            if (block == 0) {
                return 0;
            }
        }
        span.head = ADDRESS_SPACE.get(WORD, block);
        span.used++;
        return block;
    }

    /** The block that {@link #allocate} would return; 0 likewise. */
    long peek(int sizeClass) {
        long block = current[sizeClass].head;
        return block != 0 ? block : next(sizeClass).head;
    }

    /** Takes full spans off the list; returns the first that is not. By stores alone. */
    private Span next(int sizeClass) {
        Span span = current[sizeClass];
        while (span != Span.NONE && span.head == 0 && span.carvedBytes == span.bytes) {
            Span after = span.next;
            span.listed = false;
            span.attention = 1;
            span.next = null;
            if (after == null) {
                current[sizeClass] = Span.NONE;
                return Span.NONE;
            }
            after.previous = null;
            after.attention = 0;
            current[sizeClass] = after;
            span = after;
        }
        return span;
    }

    /**
     * Allocates the block that {@link #peek} returned, and clears it. If that is cut off, it is
     * free as before.
     */
    long allocateZeroed(int sizeClass, long block) {
        Span span = current[sizeClass];
        long after = ADDRESS_SPACE.get(WORD, block);
        long size = span.blockBytes;
        Zeroing.zeroExactly(block + WORD.byteSize(), size - WORD.byteSize());
        ADDRESS_SPACE.set(WORD, block, 0L);
        span.head = after;
        span.used++;
        return block;
    }

    /**
     * Frees a block of one of these. To be called inside, or with the monitor.
     *
     * @return whether its span is empty then and another one is there to allocate from
     */
    boolean free(Span span, long block) {
        int sizeClass = span.sizeClass;
        if (!span.listed) {
            list(span, sizeClass);
        }
        ADDRESS_SPACE.set(WORD, block, span.head);
        span.head = block;
        span.used--;
        if (span.used == 0 && span.attention != 0) {
            owesRetirement = true;
            return true;
        }
        return false;
    }

    /** Makes a full span available. By stores alone. */
    private void list(Span span, int sizeClass) {
        Span first = current[sizeClass];
        if (first == Span.NONE) {
            span.attention = 0;
            span.previous = null;
            span.next = null;
            span.listed = true;
            current[sizeClass] = span;
            return;
        }
        Span second = first.next;
        span.attention = 1;
        span.listed = true;
        span.previous = first;
        span.next = second;
        if (second != null) {
            second.previous = span;
        }
        first.next = span;
    }

    /** What other threads have freed: they add to it without the monitor. */
    RemoteFrees remote() {
        return remote;
    }

    // With the monitor

    /** Whose it is from now on. */
    void belongToLocked(long id, @Nullable WeakReference<Thread> its) {
        inside = 0; // of who had it before, and has ended
        thread = its;
        threadId = id;
    }

    /** Takes over what a thread had that has ended. */
    void adoptLocked(long id, WeakReference<Thread> its) {
        if (!revokeLocked()) {
            throw new AssertionError("a thread that has ended is not inside: " + threadId);
        }
        belongToLocked(id, its);
    }

    /** Lets the owner in without the monitor from now on. */
    void biasLocked() {
        if (biased != threadId && threadId != SHARED && space().mayBias()) {
            BIASED.setOpaque(this, threadId);
        }
    }

    /** Whether its thread has run for the last time. */
    boolean ended() {
        WeakReference<Thread> its = thread;
        if (its == null) {
            return false;
        }
        Thread owner = its.get();
        return owner == null || !owner.isAlive();
    }

    /**
     * Has it to oneself, until the monitor is left.
     *
     * @return false if the owner is inside for too long: an error has cut it off there
     */
    @SuppressWarnings("ThreadPriorityCheck") // the owner may wait for a processor
    boolean revokeLocked() {
        long owner = biased;
        if (threadId == Thread.currentThread().threadId() || ended()) {
            biased = 0;
            inside = 0;
            return true;
        }
        if (owner != 0) {
            BIASED.setOpaque(this, 0L);
            space().fenceAll();
        }
        for (int look = 0; (int) INSIDE.getAcquire(this) != 0; look++) {
            if (look == LOOKS) {
                return false;
            }
            if (look % LOOKS_IN_A_ROW == 0) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
        return true;
    }

    /**
     * Allocates a block.
     *
     * @throws MemoryExhaustedException if there is no memory for it
     */
    long allocateLocked(int sizeClass) {
        makeFreeLocked(sizeClass);
        return allocate(sizeClass);
    }

    /** Allocates a block and clears it; likewise. */
    long allocateZeroedLocked(int sizeClass) {
        makeFreeLocked(sizeClass);
        return allocateZeroed(sizeClass, peek(sizeClass));
    }

    /** Sees to it that a block is free and carved. */
    void makeFreeLocked(int sizeClass) {
        finishLocked();
        if (peek(sizeClass) != 0) {
            return;
        }
        if (taken != 0 || !remote.isEmpty()) {
            drainLocked();
            if (peek(sizeClass) != 0) {
                return;
            }
        }
        if (current[sizeClass] == Span.NONE) {
            takeSpanLocked(sizeClass);
        }
        Carving.carve(current[sizeClass], space().chunks());
    }

    /** Takes an empty span, or a chunk for one, and makes it the one to allocate from. */
    private void takeSpanLocked(int sizeClass) {
        BlockSpace its = space();
        int preferred = Carving.level(sizeClass);
        int smallest = Carving.smallestLevel(sizeClass);
        coming = its.empties().take(preferred, preferred);
        if (coming == null) {
            coming = new Span(this);
            try {
                coming.chunk = its.chunks().take(preferred, preferred);
            } catch (MemoryExhaustedException exhausted) {
                Span other = its.empties().take(ChunkLevel.ROOT, smallest);
                if (other == null) {
                    if (preferred == smallest) {
                        throw exhausted;
                    }
                    coming.chunk = its.chunks().take(smallest, smallest);
                } else {
                    coming = other;
                }
            }
        }
        Span span = coming;
        span.format(sizeClass, this);
        its.map().add(span);
        span.attention = 0;
        span.listed = true;
        span.next = null;
        span.previous = null;
        spanCount++;
        current[sizeClass] = span;
        coming = null;
    }

    /** Ends what was cut off. */
    void finishLocked() {
        BlockSpace its = space();
        Span left = leaving;
        if (left != null) {
            its.empties().add(left);
            leaving = null;
        }
        Span came = coming;
        if (came != null) {
            if (came.chunk != Chunk.NONE) {
                came.format(0, this);
                its.map().add(came);
                its.empties().add(came);
            }
            coming = null;
        }
    }

    /** Gives an available span that is empty to who wants one. */
    void retireLocked(Span span) {
        finishLocked();
        Span before = span.previous;
        Span after = span.next;
        if (before != null) {
            before.next = after;
        } else if (after != null) {
            after.attention = 0;
            current[span.sizeClass] = after;
        } else {
            current[span.sizeClass] = Span.NONE;
        }
        if (after != null) {
            after.previous = before;
        }
        span.carvedBytes = 0;
        span.head = 0;
        span.attention = 1;
        span.listed = false;
        span.next = null;
        span.previous = null;
        spanCount--;
        leaving = span;
        owesRetirement = false;
        finishLocked();
    }

    /** Frees what other threads have freed. */
    void drainLocked() {
        if (taken == 0) {
            taken = remote.takeAll();
        }
        SpanMap map = space().map();
        while (taken != 0) {
            long block = taken;
            Span span = map.find(block);
            if (span.owner != this || span.used <= 0 || !span.isBlock(block)) {
                taken = 0;
                throw new AssertionError(
                        "what was freed is used: a block was freed twice, or written to after it"
                                + " was freed: address=0x"
                                + Long.toHexString(block)
                                + ", "
                                + span);
            }
            if (!span.listed) {
                list(span, span.sizeClass);
            }
            long rest = ADDRESS_SPACE.get(WORD, block);
            ADDRESS_SPACE.set(WORD, block, span.head);
            taken = rest;
            span.head = block;
            span.used--;
            if (span.used == 0 && span.attention != 0) {
                owesRetirement = true;
                retireLocked(span);
            }
        }
    }

    /**
     * Frees what other threads have freed, and gives up all spans that are empty. For who has this
     * to himself.
     *
     * @return how many
     */
    int collectLocked() {
        finishLocked();
        drainLocked();
        int retired = 0;
        for (int sizeClass = 0; sizeClass < current.length; sizeClass++) {
            Span span = current[sizeClass];
            while (span != null && span != Span.NONE) {
                Span after = span.next;
                if (span.used == 0) {
                    retireLocked(span);
                    retired++;
                }
                span = after;
            }
        }
        return retired;
    }

    /** Whether {@link #collectLocked} would find something, as far as one can see from outside. */
    boolean hasMuch() {
        if (!remote.isEmpty()
                || taken != 0
                || coming != null
                || leaving != null
                || owesRetirement) {
            return true;
        }
        for (Span span : current) {
            if (span != Span.NONE && span.used == 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether nothing would be lost with it. */
    boolean isUnusedLocked() {
        return spanCount == 0
                && taken == 0
                && coming == null
                && leaving == null
                && remote.isEmpty();
    }

    /** Ends what was cut off, and makes sure that its owner is not inside. */
    void verifyRevokedLocked() {
        if (!revokeLocked()) {
            throw new AssertionError("at rest no owner is inside: threadId=" + threadId);
        }
        finishLocked();
    }

    /** Whether it may have an empty one that is not the first. */
    boolean owesRetirement() {
        return owesRetirement;
    }

    /** How many spans it has; for who has it to himself. */
    int spanCountLocked() {
        return spanCount;
    }

    /** The blocks that were freed by others and are not free yet; for who has it to himself. */
    long[] remoteBlocksLocked() {
        return remote.blocks(taken);
    }
}
