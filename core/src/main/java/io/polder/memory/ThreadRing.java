package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * What its owner keeps for each thread that it knows, in a ring: what was looked at goes to the
 * end.
 *
 * <pre>{@code
 *   all    | unused | first | ... | last | unused |        begins anew behind its end
 *                     HEAD   size
 * }</pre>
 *
 * <p>There is no hook for the end of a thread. So whenever a thread registers, a few of the others
 * are looked at, in turn: with more looked at than registered, those that ended cannot pile up,
 * however many there are, and no garbage collection is waited for.
 *
 * <p><b>Errors.</b> It is changed by stores alone, after which nothing is called.
 *
 * <p>Not thread-safe: its owner has a lock.
 *
 * @param <E> what is kept for a thread
 */
public final class ThreadRing<E> {
    /** Threads looked at for each that registers; more than one, so that the dead are caught up. */
    public static final int LOOK_AT = 4;

    private @Nullable Object[] all = new @Nullable Object[8]; // as many as a power of two
    private int head;
    private int size;

    /** How many there are. */
    public int size() {
        return size;
    }

    /** Adds one, as the last. */
    public void add(E one) {
        if (size == all.length) {
            all = all().toArray(new @Nullable Object[2 * size]);
            head = 0;
        }
        all[(head + size) & (all.length - 1)] = one;
        size++;
    }

    /** The first one; there is one. */
    public E first() {
        return get(0);
    }

    /** Makes the first one the last. */
    public void turn() {
        Object first = all[head];
        all[head] = null;
        all[(head + size) & (all.length - 1)] = first;
        head = (head + 1) & (all.length - 1);
    }

    /** Removes the first one. */
    public void removeFirst() {
        all[head] = null;
        head = (head + 1) & (all.length - 1);
        size--;
    }

    /** All of them, the first one first. */
    public List<E> all() {
        List<E> copy = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            copy.add(get(i));
        }
        return copy;
    }

    @SuppressWarnings("unchecked") // only add puts something there
    private E get(int index) {
        Object one = all[(head + index) & (all.length - 1)];
        if (one == null) {
            throw new AssertionError("a ring has size elements: index=" + index + ", size=" + size);
        }
        return (E) one;
    }
}
