package io.polder.arena;

import org.jspecify.annotations.Nullable;

/**
 * Finds the slabs of the running thread.
 *
 * <pre>{@code
 *   entries[threadId mod ENTRIES]  -->  ThreadSlabs, which carries its owner's id
 *                                            |
 *             id differs, or no entry  -->  ThreadLocal  -->  a new one, registered
 * }</pre>
 *
 * <p>Ids are never used again, so an entry that a thread left behind cannot match another thread. A
 * thread claims the entry its id names when that is empty or its owner has ended; two live threads
 * whose ids name the same entry share it first come, first served, and the other one pays for the
 * {@link ThreadLocal}. Some pools of threads erase the thread-locals after each task; a thread that
 * has lost both is found in the {@link ThreadRegistry}, or it would leave slabs behind each time.
 *
 * <p>Ordering: entries are read and written without any. A thread believes an entry only if it
 * carries the thread's own id, and that entry it wrote itself; the id is a final field. So a lost
 * or late write costs a look-up, never a mistake.
 *
 * <p>A record for the reason that {@link SlabMemory} is one.
 *
 * @param entries see above
 * @param local finds what the entries do not
 * @param registry where new entries are registered
 * @param capacity how many slabs each thread may keep
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and never handed out
record ThreadTable(
        @Nullable ThreadSlabs[] entries,
        ThreadLocal<@Nullable ThreadSlabs> local,
        ThreadRegistry registry,
        int capacity) {
    /** Four KiB of references: beyond this many live threads, some share an entry. */
    static final int ENTRIES = 1024;

    /**
     * An empty table.
     *
     * @param registry where new entries are registered
     * @param capacity how many slabs each thread may keep, 1 or more
     */
    ThreadTable(ThreadRegistry registry, int capacity) {
        this(new @Nullable ThreadSlabs[ENTRIES], new ThreadLocal<>(), registry, capacity);
    }

    /**
     * The slabs of a thread.
     *
     * @param current the running thread
     * @return null for a virtual thread, which keeps none
     */
    @Nullable ThreadSlabs find(Thread current) {
        ThreadSlabs entry = guess(current);
        return entry != null && entry.ownerId() == current.threadId() ? entry : findBehind(current);
    }

    /** What {@link #find} returns if the entry is the thread's: its owner's id says so. */
    @Nullable ThreadSlabs guess(Thread current) {
        return guess(current.threadId());
    }

    /** Likewise, for a thread's id. */
    @Nullable ThreadSlabs guess(long id) {
        return entries[(int) id & (ENTRIES - 1)];
    }

    /** The slabs of a thread that has used the table; null if it has not, or is virtual. */
    @Nullable ThreadSlabs known(Thread current) {
        return current.isVirtual() ? null : registry.find(current.threadId());
    }

    private @Nullable ThreadSlabs findBehind(Thread current) {
        return current.isVirtual() ? null : findOrRegister(current);
    }

    /**
     * Each step may be the last one, if it throws: what was made is found by the thread-local, and
     * what is missing is done by the next call.
     */
    private ThreadSlabs findOrRegister(Thread current) {
        int index = (int) current.threadId() & (ENTRIES - 1);
        ThreadSlabs entry = entries[index];
        boolean free = entry == null || entry.ended();
        ThreadSlabs slabs = local.get();
        if (slabs == null) {
            slabs = free ? null : registry.find(current.threadId());
            if (slabs == null) {
                slabs = new ThreadSlabs(current, capacity);
            }
            local.set(slabs);
        }
        if (slabs.next == null) { // it is in the registry, or only its own thread knows it
            registry.register(slabs);
        }
        if (free) {
            entries[index] = slabs;
        }
        return slabs;
    }
}
