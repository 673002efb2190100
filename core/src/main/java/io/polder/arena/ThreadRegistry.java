package io.polder.arena;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the slabs of the running thread, and takes the slabs of threads that ended.
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
 * opening many arenas, and while few of them have one. While one claims, others do not try: they
 * would wait for the lock, each with the memory of its arenas, while those run that wait for a
 * carrier.
 *
 * <p>Ordering: entries are written with the lock, and read without any order. A thread believes an
 * entry only if it carries the thread's own id, and that entry it wrote itself; the id is a final
 * field. So a read that comes late costs a look under the lock, never a mistake.
 *
 * <p>There is no hook for the end of a thread. So whenever a thread registers, a few of the others
 * are looked at, in turn: with more looked at than registered, those that ended cannot pile up,
 * however many there are, and no garbage collection is waited for. Before more memory is reserved,
 * all are looked at, and so they are by the background now and then.
 *
 * <p>A living thread takes its slabs without synchronisation. To <em>revoke</em> them, for a pool
 * that is closed or whose limit is in the way:
 *
 * <pre>{@code
 *   the thread, taking                 the registry, locked
 *   slab = words[TOP]                  attention = true
 *   words[TOP] = 0                     fence of all threads
 *   order for the compiler             words[TOP] != 0 ? note it as revoked, give it back
 *   attention ? lock, and look whether it was revoked
 * }</pre>
 *
 * <p>One of the two sees the other's store, as with blocks. The thread looks after it has taken,
 * and what it took is nobody's until it has looked. {@code attention} stays until the thread has
 * found it, and so does what was noted. That needs threads that look: those of the common pool do
 * not, since that would cost each arena a load, and its registry has no {@link #fence}; and
 * it needs the fence. So where the pool has a limit, only so many threads may <em>keep</em> slabs
 * that a small part of the limit is kept; the others exchange theirs, as most virtual threads do.
 *
 * <p>Invariants: a thread keeps slabs if and only if the entry its id names is its own; after a
 * registration, the threads known that have ended are at most a fraction of
 * those alive plus {@link #LOOK_AT}, in the long run; {@code keepers} and {@code virtuals} are
 * those in {@code known}; {@code keepers <= keepersMax}; {@code virtuals <=
 * VIRTUALS_MAX}.
 *
 * <p><b>Errors.</b> The list is changed by one call that changes all or nothing. The slabs of a
 * thread that ended are given back before it leaves the list, so the next look goes on after an
 * error.
 *
 * <p>Thread-safe: one lock, taken before that of {@link ChunkSource}, held for a few reads.
 */
final class ThreadRegistry {
    /** Four KiB of references: beyond this many live threads, some share an entry. */
    static final int ENTRIES = 1024;

    /**
     * Virtual threads known at most: each has an entry that a platform thread might want, and slabs
     * that only it can give back. Guessed.
     */
    static final int VIRTUALS_MAX = 64;

    /** Threads looked at for each that registers; more than one, so that the dead are caught up. */
    static final int LOOK_AT = 4;

    private final ChunkSource source;
    final int keepersMax;
    private final int capacity;
    final @Nullable ThreadCache[] entries = new @Nullable ThreadCache[ENTRIES];

    final List<ThreadCache> known = new ArrayList<>();

    /** Which of them is looked at next; beyond the last, the first. */
    private int next;

    /** Whether a virtual thread is registering itself: a hint, changed by stores. */
    volatile boolean virtualClaims;

    /** The pool's; null where there is none, in tests of its parts. Set before any thread is. */
    @Nullable SlabCache cache;

    /**
     * Fences all threads; null where nothing can be revoked. Set before any arena is opened, where
     * each is opened by who looks whether what it took was revoked.
     */
    @Nullable Runnable fence;

    int keepers;
    int virtuals;

    /** How many threads were seen to have ended. */
    long endedTotal;

    /**
     * A registry that knows nobody.
     *
     * @param source where the slabs of ended threads go
     * @param keepersMax how many threads may keep slabs, 0 or more
     * @param capacity how many slabs each of them may keep, 1 or more
     */
    ThreadRegistry(ChunkSource source, int keepersMax, int capacity) {
        this.source = source;
        this.keepersMax = keepersMax;
        this.capacity = capacity;
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
        ThreadCache own = known(current);
        if (own != null || !current.isVirtual()) {
            return own == null ? claim(current) : own;
        }
        if (!earned || virtualClaims) {
            return null;
        }
        virtualClaims = true;
        try {
            return claim(current);
        } finally {
            virtualClaims = false;
        }
    }

    /** The slabs of a thread; null if it has none. */
    @Nullable ThreadCache known(Thread current) {
        long id = current.threadId();
        ThreadCache entry = entries[(int) id & (ENTRIES - 1)];
        return entry != null && entry.ownerId == id ? entry : null;
    }

    private @Nullable ThreadCache claim(Thread current) {
        ThreadCache slabs = new ThreadCache(current, capacity);
        int index = (int) slabs.ownerId & (ENTRIES - 1);
        synchronized (this) {
            ThreadCache entry = entries[index];
            if ((entry != null && !entry.ended()) || (slabs.virtual && !hasRoomForVirtual())) {
                return null;
            }
            register(slabs);
            entries[index] = slabs; // nothing is called in between
        }
        return slabs;
    }

    /**
     * Adds the slabs of a thread that just began to use the pool. When it throws, it has added
     * nothing.
     */
    synchronized void register(ThreadCache slabs) {
        int _ = look(LOOK_AT);
        if (cache != null) {
            slabs.belongTo(cache);
        }
        known.add(slabs);
        virtuals += slabs.virtual ? 1 : 0;
        keepIfRoom(slabs);
    }

    private void keepIfRoom(ThreadCache slabs) {
        if (keepers < keepersMax) {
            keepers++;
            slabs.keeperId = slabs.ownerId;
        }
    }

    /**
     * Lets a thread keep slabs that was not allowed to before, if others have ended.
     *
     * @return whether it may
     */
    synchronized boolean mayKeep(ThreadCache slabs) {
        if (slabs.keeperId == 0 && keepersMax > 0) {
            look(LOOK_AT);
            keepIfRoom(slabs);
        }
        return slabs.keeperId != 0;
    }

    /**
     * Whether one more virtual thread may keep slabs. Platform threads come first: of the threads
     * that may keep some, at most half are virtual.
     */
    private boolean hasRoomForVirtual() {
        look(LOOK_AT);
        return virtuals < VIRTUALS_MAX && keepers < keepersMax / 2;
    }

    /**
     * Counts a slab that a thread is about to take.
     *
     * @return whether it may own one more
     */
    boolean ownOneMore(ThreadCache home) {
        if (!home.mayOwn()) {
            return false;
        }
        synchronized (this) { // so a tick that this does not wake looks when it is counted
            source.listener.threadOwnsSlabs();
            home.words[ThreadCache.OWNED]++;
        }
        return true;
    }

    /** Keeps a slab with a thread whose words are used up by what was revoked. */
    synchronized void giveWhereFull(ThreadCache home, long slab) {
        home.compact();
        if (!home.give(slab)) {
            throw new AssertionError("a thread keeps all it owns: slab=" + Long.toHexString(slab));
        }
    }

    /** Gives back what the running thread keeps, or one that has ended; returns how much. */
    synchronized int drain(ThreadCache home) {
        return home.drainTo(source);
    }

    /** Counts a slab that could not be taken. */
    synchronized void disown(ThreadCache home) {
        home.words[ThreadCache.OWNED]--;
    }

    /** Says to all that the pool is closed. */
    synchronized void close() {
        for (ThreadCache slabs : known) {
            slabs.close();
        }
    }

    /**
     * Takes the slabs of living threads as well, where it can; see the class comment.
     *
     * @return how many slabs came back
     */
    synchronized int revoke() {
        if (fence == null) {
            return 0;
        }
        boolean some = false;
        for (ThreadCache slabs : known) {
            if (source.closed || slabs.keepsSome()) {
                slabs.attention = true;
                some = true;
            }
        }
        if (!some) {
            return 0;
        }
        fence.run();
        int revoked = 0;
        for (ThreadCache slabs : known) {
            if (slabs.slowPath) { // told so: before that, what arenas held would go to the thread
                slabs.endCutOff();
            }
            if (slabs.attention) {
                revoked += slabs.revokeTo(source);
            }
        }
        if (revoked > 0) {
            source.gave();
        }
        return revoked;
    }

    /**
     * Whether the running thread may have what it took when it found that it is to look.
     *
     * @param chunk what it took; 0 if nothing
     * @return the chunk; 0 if that was revoked
     */
    synchronized long confirm(ThreadCache home, long chunk) {
        boolean late = home.tookLate(chunk);
        home.attention = source.closed;
        return late ? 0 : chunk;
    }

    /** Takes the slabs of every thread that has ended; returns how many slabs came back. */
    synchronized int reclaim() {
        return look(known.size());
    }

    /**
     * Takes the slabs of every thread that has ended.
     *
     * @return whether any other owns some, and may end; of a closed pool, whether it keeps some
     */
    synchronized boolean tick() {
        int _ = look(known.size());
        for (ThreadCache slabs : known) {
            if (source.closed ? slabs.keepsSome() : slabs.words[ThreadCache.OWNED] > 0) {
                return true;
            }
        }
        return false;
    }

    /** How many threads are known that had not ended when they were last looked at. */
    synchronized int threads() {
        return known.size();
    }

    private int look(int atMost) {
        int slabs = 0;
        for (int i = Math.min(atMost, known.size()); i > 0; i--) {
            next = next < known.size() ? next : 0;
            ThreadCache each = known.get(next);
            if (each.ended()) {
                slabs += each.drainTo(source);
                known.remove(next);
                virtuals -= each.virtual ? 1 : 0;
                keepers -= each.keeperId != 0 ? 1 : 0;
                endedTotal++;
            } else {
                next++;
            }
        }
        return slabs;
    }
}
