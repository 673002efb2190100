package io.polder.gate;

import org.jspecify.annotations.Nullable;

/**
 * Finds the visitor of the running thread.
 *
 * <pre>{@code
 *   entries[threadId mod ENTRIES]  -->  Visitor, which carries its owner's id
 *                                          |
 *           id differs, or no entry  -->  ThreadLocal  -->  a new one, registered
 * }</pre>
 *
 * <p>Ids are never used again, so an entry that a thread left behind cannot match another thread. A
 * thread claims the entry its id names when that is empty or its owner has ended; two live threads
 * whose ids name the same entry share it first come, first served, and the other one pays for the
 * {@link ThreadLocal}. A thread whose thread-locals were erased is found in {@link Visitors}.
 *
 * <p>Ordering: entries are read and written without any. A thread believes an entry only if it
 * carries the thread's own id, and that entry it wrote itself; the id is a final field. So a lost
 * or late write costs a look-up, never a mistake.
 */
final class VisitorTable<V extends Visitor> {
    /** Four KiB of references: beyond this many live threads, some share an entry. */
    static final int ENTRIES = 1024;

    private final @Nullable Visitor[] entries = new @Nullable Visitor[ENTRIES];

    @SuppressWarnings("ThreadLocalUsage") // one for each gate
    private final ThreadLocal<@Nullable V> local = new ThreadLocal<>();

    private final Visitors<V> visitors;

    VisitorTable(Visitors<V> visitors) {
        this.visitors = visitors;
    }

    /** The visitor of the running thread; null if that is a virtual one. */
    @SuppressWarnings("unchecked") // only claim() writes entries
    @Nullable V find(Thread current) {
        long id = current.threadId();
        Visitor entry = entries[(int) id & (ENTRIES - 1)];
        if (entry != null && entry.ownerId() == id) {
            return (V) entry;
        }
        return current.isVirtual() ? null : findBehind(current);
    }

    private V findBehind(Thread current) {
        V visitor = local.get();
        if (visitor == null) {
            visitor = visitors.find(current.threadId());
            if (visitor == null) {
                visitor = visitors.register(current);
            }
            local.set(visitor);
        }
        claim((int) current.threadId() & (ENTRIES - 1), visitor);
        return visitor;
    }

    private void claim(int index, V visitor) {
        Visitor entry = entries[index];
        if (entry == null || entry.ended()) {
            entries[index] = visitor;
        }
    }
}
