package io.polder.agent.census;

import org.jspecify.annotations.Nullable;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The counts of one census, from its start to its end.
 *
 * <pre>
 *   platform thread --table, by id--&gt; its Rows ---+
 *                    or ThreadLocal                +--&gt; sum
 *   virtual threads --by thread id--&gt; 16 Rows ----+
 *   threads that ended --------------&gt; one Rows --+
 * </pre>
 *
 * <p>The table is a shortcut: an entry carries the id of its thread, ids are never used again, and
 * so who finds its id finds its rows, whatever others write there. Entries refer to immutable
 * objects, so plain reads and writes will do.
 *
 * <p>Threads have no hook for their end: whenever one registers, two of those known are looked at,
 * and the rows of one that ended are added to those of all that ended. So rows are as many as
 * threads that live, and some more.
 *
 * <p>An arena keeps the row in which it was counted when opened. One that is closed after the
 * census ended is counted there, where nobody looks any more.
 */
final class Run {
    /** Of the last census that a thread met. Weak, so that one that ended can go. */
    private static final ThreadLocal<WeakReference<Mine>> MINE = new ThreadLocal<>();

    /** Guessed; a power of two. */
    private static final int STRIPES = 16;

    /** Guessed; a power of two. */
    private static final int TABLE = 1024;

    private final @Nullable Mine[] table = new @Nullable Mine[TABLE];
    private final Rows[] stripes = new Rows[STRIPES];
    private final Rows ended = new Rows(true);
    private final Queue<Mine> threads = new ArrayDeque<>();
    private final long startNanos = System.nanoTime();

    /** The rows of a thread, and for which census. */
    private record Mine(Run run, long id, Rows rows, WeakReference<Thread> thread) {
        boolean ended() {
            Thread known = thread.get();
            return known == null || !known.isAlive();
        }
    }

    Run() {
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Rows(true);
        }
    }

    /** The row of the running thread for a call site. */
    Row row(int site) {
        Thread current = Thread.currentThread();
        long id = current.threadId();
        Mine mine = table[(int) id & (TABLE - 1)];
        Rows rows = mine != null && mine.id == id ? mine.rows : find(current);
        return rows.row(site);
    }

    private Rows find(Thread current) {
        int id = (int) current.threadId();
        if (current.isVirtual()) {
            return stripes[id & (STRIPES - 1)];
        }
        WeakReference<Mine> known = MINE.get();
        Mine mine = known == null ? null : known.get();
        if (mine == null || mine.run != this) {
            mine = register(current);
        }
        table[id & (TABLE - 1)] = mine;
        return mine.rows;
    }

    private Mine register(Thread thread) {
        Mine mine = new Mine(this, thread.threadId(), new Rows(false), new WeakReference<>(thread));
        MINE.set(new WeakReference<>(mine)); // this run keeps it
        synchronized (threads) {
            lookAtOne();
            lookAtOne();
            threads.add(mine);
        }
        return mine;
    }

    private void lookAtOne() {
        Mine known = threads.poll();
        if (known == null) {
            return;
        }
        if (known.ended()) {
            known.rows.addTo(ended);
        } else {
            threads.add(known);
        }
    }

    /** All that was counted so far. */
    Rows sum() {
        Rows sum = new Rows(false);
        synchronized (threads) {
            threads.forEach(mine -> mine.rows.addTo(sum));
            ended.addTo(sum);
        }
        for (Rows stripe : stripes) {
            stripe.addTo(sum);
        }
        return sum;
    }

    /** How many threads have rows of their own now. */
    int threadCount() {
        synchronized (threads) {
            return threads.size();
        }
    }

    long millis() {
        return (System.nanoTime() - startNanos) / 1_000_000;
    }
}
