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
 *   table[threadId mod ENTRIES]  -->  ThreadSpans, biased to that thread
 *                                           |
 *            biased to another   -->  ThreadLocal, or the ring  -->  one of a thread that ended,
 *                                                                    or a new one
 *   last --> spans --> spans --> last       a ring: whoever was looked at goes to its end
 *
 *   shared[threadId mod SHARED_MAX]         of virtual threads
 * }</pre>
 *
 * <p>There is no hook for the end of a thread. Whenever a thread registers, a few of the others are
 * looked at, in turn. The first that has ended hands over all it had, its remote list included, and
 * of the others those that had nothing are forgotten. So there are about as many as there were
 * threads at one time, and after a million short ones there are a few.
 *
 * <p>Entries of the table are read and written without order: a thread believes one only if it is
 * biased to itself, which the thread itself wrote. What was handed over stands in the entry of the
 * thread that ended as well, until somebody else needs that.
 *
 * <p>Invariants: {@code size} is what the ring holds; no two of the ring are of one thread.
 *
 * <p><b>Errors.</b> The ring is changed by stores alone. Whoever is cut off before it registered is
 * known by nobody, and has nothing.
 *
 * <p>Thread-safe: one lock, taken before the monitor of a {@link ThreadSpans}.
 */
final class SpanOwners {
    /** Four KiB of references: beyond so many live threads, some share an entry. */
    static final int ENTRIES = 1024;

    /** Threads looked at for each that registers; more than one, so that the dead are caught up. */
    static final int LOOK_AT = 4;

    /** Virtual threads run on about as many carriers as there are processors. */
    static final int SHARED_MAX = Integer.highestOneBit(Runtime.getRuntime().availableProcessors());

    private final BlockSpace space;
    private final ThreadSpans[] table = new ThreadSpans[ENTRIES];

    /** Weak, since what a thread has leads to this: its map would keep the pool as long as it. */
    @SuppressWarnings("ThreadLocalUsage") // one for each pool
    private final ThreadLocal<@Nullable WeakReference<ThreadSpans>> local = new ThreadLocal<>();

    private final AtomicReferenceArray<@Nullable ThreadSpans> shared =
            new AtomicReferenceArray<>(SHARED_MAX);

    /** The one that was looked at last; null if the ring is empty. */
    private @Nullable ThreadSpans last;

    private int size;

    SpanOwners(BlockSpace space) {
        this.space = space;
        Arrays.fill(table, ThreadSpans.NOBODY);
    }

    /** What a thread may have; believed if it is biased to it. */
    ThreadSpans guess(long id) {
        return table[(int) id & (ENTRIES - 1)];
    }

    /** Entries by the id of a thread, of which the lowest bits count: as many as a power of two. */
    ThreadSpans[] table() {
        return table;
    }

    /** What the running thread allocates from. */
    ThreadSpans of(Thread current) {
        long id = current.threadId();
        if (current.isVirtual()) {
            return shared((int) id & (SHARED_MAX - 1));
        }
        ThreadSpans entry = guess(id);
        if (entry.threadId == id) {
            return entry;
        }
        WeakReference<ThreadSpans> reference = local.get();
        ThreadSpans own = reference == null ? null : reference.get();
        if (own == null || own.threadId != id) {
            own = register(current);
            local.set(new WeakReference<>(own));
        }
        if (isLeftBehind(entry, id)) {
            table[(int) id & (ENTRIES - 1)] = own;
        }
        return own;
    }

    /** Whether nobody looks at the entry of an id: who had it has ended, or handed all over. */
    private static boolean isLeftBehind(ThreadSpans entry, long id) {
        boolean elsewhere = ((entry.threadId ^ id) & (ENTRIES - 1)) != 0;
        return elsewhere || entry.threadId == 0 || entry.ended();
    }

    private ThreadSpans shared(int index) {
        ThreadSpans some = shared.get(index);
        return some == null ? makeShared(index) : some;
    }

    private synchronized ThreadSpans makeShared(int index) {
        ThreadSpans some = shared.get(index);
        if (some == null) {
            some = ThreadSpans.of(space);
            some.belongToLocked(ThreadSpans.SHARED, null);
            shared.set(index, some);
        }
        return some;
    }

    /** What a thread has that registered before, what one had that ended, or a new one. */
    private synchronized ThreadSpans register(Thread current) {
        long id = current.threadId();
        ThreadSpans own = known(id);
        if (own != null) {
            return own;
        }
        WeakReference<Thread> reference = new WeakReference<>(current);
        own = look();
        if (own == null) {
            own = ThreadSpans.of(space);
            own.belongToLocked(id, reference);
            ThreadSpans end = last;
            own.next = end == null ? own : end.next;
            if (end != null) {
                end.next = own;
            }
            last = own;
            size++;
            return own;
        }
        synchronized (own) {
            own.adoptLocked(id, reference);
        }
        return own;
    }

    private @Nullable ThreadSpans known(long id) {
        ThreadSpans some = last;
        for (int i = size; i > 0 && some != null; i--) {
            some = some.next;
            if (some != null && some.threadId == id) {
                return some;
            }
        }
        return null;
    }

    /**
     * Looks at a few; returns one whose thread has ended and that has something, if it finds it.
     */
    private @Nullable ThreadSpans look() {
        ThreadSpans found = null;
        for (int i = Math.min(LOOK_AT, size); i > 0 && found == null; i--) {
            ThreadSpans before = last;
            if (before == null || before.next == null) {
                throw new AssertionError("a ring of some has a last: size=" + size);
            }
            ThreadSpans first = before.next;
            if (first.ended()) {
                found = first;
            }
            last = first;
        }
        return found;
    }

    /** Forgets those of the ring whose threads have ended and that have nothing. */
    synchronized void forgetUnused() {
        for (int i = size; i > 0; i--) {
            ThreadSpans before = last;
            if (before == null || before.next == null) {
                return;
            }
            ThreadSpans first = before.next;
            if (first.ended() && isUnused(first)) {
                before.next = first.next;
                last = first == before ? null : before;
                size--;
            } else {
                last = first;
            }
        }
    }

    private static boolean isUnused(ThreadSpans owner) {
        synchronized (owner) {
            return owner.isUnusedLocked();
        }
    }

    /** All that there are, in any order. */
    synchronized List<ThreadSpans> all() {
        List<ThreadSpans> all = new ArrayList<>();
        ThreadSpans some = last;
        for (int i = size; i > 0 && some != null; i--) {
            some = some.next;
            if (some != null) {
                all.add(some);
            }
        }
        for (int index = 0; index < SHARED_MAX; index++) {
            ThreadSpans each = shared.get(index);
            if (each != null) {
                all.add(each);
            }
        }
        return all;
    }

    /** How many threads are known. */
    synchronized int threads() {
        return size;
    }
}
