package io.polder.arena;

import org.jspecify.annotations.Nullable;

/**
 * Finds the slabs of the running thread.
 *
 * <pre>{@code
 *   entries[threadId mod ENTRIES]  -->  ThreadCache, which carries its owner's id
 *
 *   id differs, owner lives        -->  none: the thread uses slots
 *   id differs, owner ended;
 *   no entry                       -->  new ones, registered
 * }</pre>
 *
 * <p>The JVM never uses an id again, so an entry that a thread left behind cannot match another
 * thread. A thread claims the entry its id names when that is empty or its owner has ended. Of two
 * live threads whose ids name the same entry, the second keeps no slabs: it takes them from {@link
 * SlabSlots}, as most virtual threads do, until the first has ended.
 *
 * <p>A virtual thread claims its entry once it has {@linkplain SlabSlots#earned earned} that, by
 * opening many arenas, and while few of them have one. One that finds that another one claims does
 * not: they would queue up at the lock, with the memory of their arenas, while those run that wait
 * for a carrier.
 *
 * <p>Invariant: a thread keeps slabs if and only if the entry its id names is its own.
 *
 * <p>Ordering: entries are written with the {@link ThreadRegistry} locked, and read without any
 * order. A thread believes an entry only if it carries the thread's own id, and that entry it wrote
 * itself; the id is a final field. So a read that comes late costs a look under the lock, never a
 * mistake.
 *
 * <p>A record for the reason that {@link ArenaFactory} is one.
 *
 * @param entries see above
 * @param registry where new entries are registered
 * @param capacity how many slabs each thread may keep
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and never handed out
record ThreadTable(@Nullable ThreadCache[] entries, ThreadRegistry registry, int capacity) {
    /** Four KiB of references: beyond this many live threads, some share an entry. */
    static final int ENTRIES = 1024;

    /**
     * An empty table.
     *
     * @param registry where new entries are registered
     * @param capacity how many slabs each thread may keep, 1 or more
     */
    ThreadTable(ThreadRegistry registry, int capacity) {
        this(new @Nullable ThreadCache[ENTRIES], registry, capacity);
    }

    /**
     * The slabs of a thread, which has some from now on if the entry its id names is free.
     *
     * @param current the running thread
     * @param earned whether it may keep some although it is virtual
     * @return null for other virtual threads, while enough of them keep some, and for a thread
     *     whose entry is that of another living one
     */
    @Nullable ThreadCache find(Thread current, boolean earned) {
        ThreadCache known = known(current);
        return known != null || (current.isVirtual() && !earned) ? known : claim(current);
    }

    /** What {@link #known} returns if the entry is the thread's: its owner's id says so. */
    @Nullable ThreadCache guess(long id) {
        return entries[(int) id & (ENTRIES - 1)];
    }

    /** The slabs of a thread; null if it has none. */
    @Nullable ThreadCache known(Thread current) {
        long id = current.threadId();
        ThreadCache entry = guess(id);
        return entry != null && entry.ownerId == id ? entry : null;
    }

    private @Nullable ThreadCache claim(Thread current) {
        if (!current.isVirtual()) {
            return register(current);
        }
        if (registry.virtualClaims) {
            return null;
        }
        registry.virtualClaims = true;
        try {
            return register(current);
        } finally {
            registry.virtualClaims = false;
        }
    }

    private @Nullable ThreadCache register(Thread current) {
        ThreadCache slabs = new ThreadCache(current, capacity);
        int index = (int) slabs.ownerId & (ENTRIES - 1);
        synchronized (registry) {
            ThreadCache entry = entries[index];
            if ((entry != null && !entry.ended())
                    || (slabs.virtual && !registry.hasRoomForVirtual())) {
                return null;
            }
            registry.register(slabs);
            entries[index] = slabs; // nothing is called in between
        }
        return slabs;
    }
}
