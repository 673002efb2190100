package io.polder.gate;

import org.jspecify.annotations.Nullable;

/**
 * Finds the reader of the running thread.
 *
 * <pre>{@code
 *   entries[threadId mod ENTRIES]  -->  Reader, which carries its owner's id
 *                                          |
 *           id differs, or no entry  -->  ThreadLocal  -->  a new one, registered
 * }</pre>
 *
 * <p>Ids are never used again, so an entry that a thread left behind cannot match another thread. A
 * thread takes the entry its id names when that is empty or its owner has ended; two live threads
 * whose ids name the same entry share it first come, first served, and the other one pays for the
 * {@link ThreadLocal}. A thread whose thread-locals were erased is found in the {@link
 * ReaderRegistry}.
 *
 * <p>Ordering: entries are read and written without any. A thread believes an entry only if it
 * carries the thread's own id, and that entry it wrote itself; the id is a final field. So a lost
 * or late write costs a look-up, never a mistake.
 */
final class ReaderTable<V extends Reader> {
    /** Four KiB of references: beyond this many live threads, some share an entry. */
    static final int ENTRIES = 1024;

    private final @Nullable V[] entries;

    @SuppressWarnings("ThreadLocalUsage") // one for each gate
    private final ThreadLocal<@Nullable V> local = new ThreadLocal<>();

    private final ReaderRegistry<V> readers;

    /**
     * An empty table.
     *
     * @param readers knows who is not in the table
     * @param entries what it consists of: {@link #ENTRIES} without a reader
     */
    ReaderTable(ReaderRegistry<V> readers, @Nullable V[] entries) {
        this.readers = readers;
        this.entries = entries;
    }

    /** Which entry a thread looks at. */
    static int index(Thread thread) {
        return (int) thread.threadId() & (ENTRIES - 1);
    }

    /** The reader of the running thread; null if that is a virtual one. */
    @Nullable V find(Thread current) {
        V entry = entries[index(current)];
        return entry != null && entry.isOf(current) ? entry : findBehind(current);
    }

    /** The same, without a look at the entries. */
    @Nullable V findBehind(Thread current) {
        return current.isVirtual() ? null : findOrRegister(current);
    }

    private V findOrRegister(Thread current) {
        V reader = local.get();
        if (reader == null) {
            reader = readers.find(current.threadId());
            if (reader == null) {
                reader = readers.register(current);
            }
            local.set(reader);
        }
        takeEntry(index(current), reader);
        return reader;
    }

    private void takeEntry(int index, V reader) {
        V entry = entries[index];
        if (entry == null || entry.ended()) {
            entries[index] = reader;
        }
    }
}
