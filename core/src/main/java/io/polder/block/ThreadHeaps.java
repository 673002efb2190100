package io.polder.block;

import org.jspecify.annotations.Nullable;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Finds the spans of the running thread, and hands on those of threads that ended.
 *
 * <pre>{@code
 *   table[threadId mod ENTRIES]  -->  ThreadHeap, biased to that thread
 *                                           |
 *     nobody's, or of a thread that ended  -->  one of a thread that ended, or a new one
 *     of another living thread             -->  a shared one, as for virtual threads
 *
 *   shared[threadId mod SHARED], or the next one that no thread has claimed
 * }</pre>
 *
 * <p>Whenever a thread registers, a few of the others are looked at, in turn. The first that has
 * ended hands over all it had, and of the others those that had nothing are forgotten. So there are
 * about as many as there were threads at one time, and after a million short ones there are a few.
 *
 * <p>Before an owner takes a new span, it looks at a few as well: one that has ended hands over a
 * span of that class. For often a thread begins before the one whose blocks it gets has ended.
 *
 * <p>Entries of the table are written with the lock and read without order: a thread believes one
 * only if it is biased to itself, which the thread itself wrote. What was handed over stands in the
 * entry of the thread that ended as well, until another thread needs that.
 *
 * <p>Invariants: no two that are known are of one thread, and a living thread that is known has its
 * entry.
 *
 * <p><b>Errors.</b> The table is changed by one store, and the list of those that are known by one
 * call that changes all or nothing. A thread that an error meets before it registered is known by
 * nobody, and has nothing.
 *
 * <p>Thread-safe: one lock. A thread that holds it waits only for the monitors of threads that have
 * ended. These hand over all they have under this lock alone, so nobody holds such a monitor as its
 * own; hence a thread may take this lock with its own monitor held.
 */
final class ThreadHeaps {
    /** Four KiB of references: beyond so many live threads, some share an entry. */
    static final int ENTRIES = 1024;

    /** Virtual threads run on about as many carriers as there are processors. */
    static final int SHARED = Integer.highestOneBit(Runtime.getRuntime().availableProcessors());

    /** Those beyond are for who finds the others {@linkplain ThreadHeap#claimed claimed}. */
    static final int SHARED_MAX = 4 * SHARED;

    /** Threads looked at for each that registers; more than one, so that the dead are caught up. */
    static final int LOOK_AT = 4;

    private final BlockSpace space;

    /** Entries by the id of a thread, of which the lowest bits count: as many as a power of two. */
    final ThreadHeap[] table = new ThreadHeap[ENTRIES];

    private final AtomicReferenceArray<@Nullable ThreadHeap> shared =
            new AtomicReferenceArray<>(SHARED_MAX);

    /** Of platform threads. */
    final List<ThreadHeap> known = new ArrayList<>();

    /** Which of them is looked at next; beyond the last, the first. */
    private int next;

    ThreadHeaps(BlockSpace space) {
        this.space = space;
        Arrays.fill(table, ThreadHeap.NOBODY);
    }

    /** What a thread may have; believed if it is biased to it. */
    ThreadHeap guess(long id) {
        return table[(int) id & (ENTRIES - 1)];
    }

    /** What the running thread allocates from. */
    ThreadHeap of(Thread current) {
        return of(current, true);
    }

    /**
     * The same.
     *
     * @param allocates whether it may get what a thread had that has ended: to one that only frees
     *     that would be of no use
     */
    ThreadHeap of(Thread current, boolean allocates) {
        long id = current.threadId();
        if (!current.isVirtual()) {
            ThreadHeap entry = guess(id);
            if (entry.threadId == id) {
                return entry;
            }
            ThreadHeap own = isLeftBehind(entry, id) ? register(current, allocates) : null;
            if (own != null) {
                return own;
            }
        }
        int first = (int) id & (SHARED - 1);
        for (int index = first; allocates && index < first + SHARED_MAX; index++) {
            ThreadHeap some = shared(index & (SHARED_MAX - 1));
            if (some.claim(id)) {
                return some;
            }
        }
        return shared(first);
    }

    /** Whether nobody looks at the entry of an id: who had it has ended, or handed all over. */
    private static boolean isLeftBehind(ThreadHeap entry, long id) {
        boolean elsewhere = ((entry.threadId ^ id) & (ENTRIES - 1)) != 0;
        return elsewhere || entry.threadId == 0 || entry.ended();
    }

    private ThreadHeap shared(int index) {
        ThreadHeap some = shared.get(index);
        return some == null ? makeShared(index) : some;
    }

    private synchronized ThreadHeap makeShared(int index) {
        ThreadHeap some = shared.get(index);
        if (some == null) {
            some = ThreadHeap.of(space);
            some.belongToLocked(ThreadHeap.SHARED, null);
            shared.set(index, some);
        }
        return some;
    }

    /** What one had that ended, or a new one; null if another thread was first with the entry. */
    private synchronized @Nullable ThreadHeap register(Thread current, boolean allocates) {
        long id = current.threadId();
        int index = (int) id & (ENTRIES - 1);
        if (!isLeftBehind(table[index], id)) {
            return null;
        }
        WeakReference<Thread> reference = new WeakReference<>(current);
        ThreadHeap former = look(allocates);
        ThreadHeap own = former == null ? ThreadHeap.of(space) : former;
        synchronized (own) {
            own.belongToLocked(id, reference);
        }
        if (former == null) {
            known.add(own);
        }
        table[index] = own;
        return own;
    }

    /**
     * Looks at a few; returns one whose thread has ended, if it finds it.
     *
     * @param withSpans whether it may have something
     */
    private @Nullable ThreadHeap look(boolean withSpans) {
        for (int i = Math.min(LOOK_AT, known.size()); i > 0; i--) {
            ThreadHeap some = turn();
            if (some.ended() && (withSpans || isUnused(some))) {
                return some;
            }
        }
        return null;
    }

    private ThreadHeap turn() {
        int at = next < known.size() ? next : 0;
        next = at + 1;
        return known.get(at);
    }

    /**
     * Takes over a span with room of a class, from a few whose threads have ended.
     *
     * @param own the running thread's, with its monitor held
     * @return whether there was one
     */
    synchronized boolean adopt(ThreadHeap own, int sizeClass) {
        for (int i = Math.min(LOOK_AT, known.size()); i > 0; i--) {
            ThreadHeap some = turn();
            if (some.ended()) {
                synchronized (some) {
                    if (own.adoptSpanLocked(some, sizeClass)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** Forgets those whose threads have ended and that have nothing. */
    synchronized void forgetUnused() {
        for (int at = known.size() - 1; at >= 0; at--) {
            if (known.get(at).ended() && isUnused(known.get(at))) {
                known.remove(at);
            }
        }
    }

    private static boolean isUnused(ThreadHeap owner) {
        synchronized (owner) {
            return owner.isUnusedLocked();
        }
    }

    /** All that there are, in any order. */
    synchronized List<ThreadHeap> all() {
        List<ThreadHeap> all = new ArrayList<>(known);
        for (int index = 0; index < SHARED_MAX; index++) {
            ThreadHeap each = shared.get(index);
            if (each != null) {
                all.add(each);
            }
        }
        return all;
    }
}
