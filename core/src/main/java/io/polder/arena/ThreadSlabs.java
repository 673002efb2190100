package io.polder.arena;

import java.lang.ref.WeakReference;
import java.util.function.LongConsumer;

/**
 * The free slabs that one platform thread keeps at hand for one pool.
 *
 * <pre>{@code
 *   words   | padding | TOP | COUNT | slab | slab | ... | unused | padding |
 *                                    0      1           COUNT
 * }</pre>
 *
 * <p>{@code TOP} is the address of a slab, or 0: an arena opened after another was closed takes
 * with one load and one store, and gives alike. Deeper nesting uses the rest, a stack of {@code
 * COUNT} addresses. Addresses are plain numbers, so no write barrier of a garbage collector runs.
 *
 * <p>A slab taken is <i>removed</i>: its arena alone knows it. So arenas may nest and close in any
 * order, and a thread that ends while an arena is open harms nobody.
 *
 * <p>Invariants: {@code 0 <= COUNT <= capacity - 1}; the first {@code COUNT} slabs are addresses;
 * no address stands here twice; each slab reads as zero.
 *
 * <p>Confined to its thread, without synchronisation, until {@link ThreadRegistry} has seen that
 * the thread {@linkplain #ended ended}; all that a thread did happens before that is seen.
 */
final class ThreadSlabs {
    /** Two cache lines, for the adjacent-line prefetch: the words of two threads stay apart. */
    private static final int PADDING = 16;

    private static final int TOP = PADDING;
    private static final int COUNT = TOP + 1;
    private static final int SLABS = COUNT + 1;

    private final long ownerId;
    private final WeakReference<Thread> owner;
    private final int restCapacity;
    private final long[] words;

    /**
     * A cache without slabs.
     *
     * @param owner its thread, which must be a platform thread
     * @param capacity how many slabs it may keep, 1 or more
     */
    ThreadSlabs(Thread owner, int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException(
                    "a thread keeps at least one slab: capacity=" + capacity);
        }
        this.ownerId = owner.threadId();
        this.owner = new WeakReference<>(owner);
        this.restCapacity = capacity - 1;
        this.words = new long[SLABS + restCapacity + PADDING];
    }

    /** The {@link Thread#threadId()} of its thread; the JVM uses none twice. */
    long ownerId() {
        return ownerId;
    }

    /** Whether its thread has run for the last time. May be asked by any thread. */
    boolean ended() {
        Thread thread = owner.get();
        return thread == null || !thread.isAlive();
    }

    /** Removes a slab and returns its address; 0 if there is none. */
    long take() {
        long slab = words[TOP];
        if (slab != 0) {
            words[TOP] = 0;
            return slab;
        }
        return takeFromRest();
    }

    private long takeFromRest() {
        int count = (int) words[COUNT];
        if (count == 0) {
            return 0;
        }
        words[COUNT] = count - 1L;
        return words[SLABS + count - 1];
    }

    /** Keeps a slab, which must read as zero; returns false if there are as many as may be. */
    boolean give(long slab) {
        if (words[TOP] == 0) {
            words[TOP] = slab;
            return true;
        }
        return giveToRest(slab);
    }

    private boolean giveToRest(long slab) {
        int count = (int) words[COUNT];
        if (count == restCapacity) {
            return false;
        }
        words[SLABS + count] = slab;
        words[COUNT] = count + 1L;
        return true;
    }

    /** Removes every slab; returns how many there were. Only once the thread has ended. */
    int drainTo(LongConsumer destination) {
        int drained = 0;
        for (long slab = take(); slab != 0; slab = take()) {
            destination.accept(slab);
            drained++;
        }
        return drained;
    }

    /** Checks the invariants. Only for the thread itself, or once it has ended. */
    void verify() {
        int count = (int) words[COUNT];
        if (count < 0 || count > restCapacity) {
            throw broken("0 <= COUNT <= capacity - 1");
        }
        for (int i = 0; i < count; i++) {
            if (words[SLABS + i] == 0) {
                throw broken("the first COUNT slabs are addresses");
            }
            for (int j = 0; j < i; j++) {
                if (words[SLABS + i] == words[SLABS + j]) {
                    throw broken("no address stands here twice");
                }
            }
            if (words[SLABS + i] == words[TOP]) {
                throw broken("no address stands here twice");
            }
        }
    }

    private AssertionError broken(String rule) {
        StringBuilder dump = new StringBuilder(rule + ": owner=" + ownerId + ", words=");
        for (int i = TOP; i < SLABS + restCapacity; i++) {
            dump.append(Long.toHexString(words[i])).append(' ');
        }
        return new AssertionError(dump.toString());
    }
}
