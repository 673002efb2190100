package io.polder;

import io.polder.background.Background;
import io.polder.background.Step;
import io.polder.background.Task;
import io.polder.event.Events;
import io.polder.leak.LeakDetector;

import org.jspecify.annotations.Nullable;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The pools of this process that are open, for those who look from outside.
 *
 * <pre>{@code
 *   pool opened --> known --a second later, in the background--> registered as an MXBean
 *                     |                                             |
 *                     +--closed, or unreachable--> forgotten <------+
 *                                   |
 *                                   +--its leaks--> FormerPools
 * }</pre>
 *
 * <p>Nothing is registered in the thread that opens a pool, and nothing in a program that ends
 * within a second: the platform's MBean server takes longer to start than all of Polder. The first
 * step also has Flight Recorder ask for periodic statistics, where there is one, and looks for
 * other copies of the library.
 *
 * <p>Pools are known by weak references, so being known keeps none alive, but for open ones whose
 * blocks are used: an address may come back that no collector knows. What one that became
 * unreachable leaves behind is removed when the next pool is closed or looked at, or by the step
 * after the next one was opened; what is cut short in that is done by the one after it. Not by who
 * opens a pool: that may hold a lock of the library, and listeners of the MBean server are told.
 *
 * <p>Thread-safe. Its own monitor is held for a walk that finds the next number of a name.
 */
final class OpenPools implements Step {
    static final OpenPools INSTANCE = new OpenPools(PoolBackground.TELLING);

    /** Guessed: programs that nobody looks at are over by then. */
    private static final long DELAY_NANOS = 1_000_000_000;

    /** As they were opened: so the first of a name is told of first. */
    private final Queue<Known> known = new ConcurrentLinkedQueue<>();

    /** Open ones at rest whose blocks are used: who knows an address may come with it. */
    final Set<PoolMemory> held = ConcurrentHashMap.newKeySet();

    private final FormerPools former = new FormerPools();
    final Task task;

    /** Whether a step has ended. */
    volatile boolean told;

    /** A pool, and its MXBean. */
    private static final class Known extends WeakReference<PoolMemory> {
        private final MBeanRegistration registration = new MBeanRegistration();
        private final String name;
        private final LeakDetector leaks;
        private volatile int number;

        Known(PoolMemory pool) {
            super(pool);
            this.name = pool.name();
            this.number = pool.number;
            this.leaks = pool.leaks; // what is known of them is known when the pool is gone, too
        }
    }

    private OpenPools(Background background) {
        this.task = background.task(this, DELAY_NANOS);
    }

    /** A pool can be used; those of one name have numbers in the order in which they come here. */
    void opened(PoolMemory pool) {
        synchronized (this) {
            int number = 1;
            for (Known each : known) {
                if (each.name.equals(pool.name()) && !each.refersTo(null)) {
                    number = Math.max(number, each.number + 1);
                }
            }
            pool.number = number;
            known.add(new Known(pool));
        }
        task.wake();
    }

    /** Keeps a pool reachable, or no longer does: while it has ticks, the background does that. */
    void hold(PoolMemory pool, boolean hold) {
        if (hold) {
            held.add(pool);
            if (pool.closed) { // meanwhile, and then nobody else may ask for it
                held.remove(pool);
            }
        } else if (!held.isEmpty()) {
            held.remove(pool);
        }
    }

    /**
     * Those that are open and reachable, as they were opened; runs no code of others. No stream:
     * the first of a JVM initialises classes, and if the stack ends there, it never has one again.
     */
    List<PoolMemory> reachable() {
        List<PoolMemory> pools = new ArrayList<>();
        for (Known each : known) {
            PoolMemory pool = each.get();
            if (pool != null) {
                pools.add(pool);
            }
        }
        return pools;
    }

    /** Those that programs can reach; cannot be changed. */
    List<MemoryPool> pools() {
        forgetGone();
        List<MemoryPool> pools = new ArrayList<>();
        for (PoolMemory each : reachable()) {
            MemoryPool pool = each.pool;
            if (pool != null) {
                pools.add(pool);
            }
        }
        return List.copyOf(pools);
    }

    /** A line for each pool that is gone and left leaks, the latest first. */
    List<String> formerLeaks() {
        forgetGone();
        return former.lines();
    }

    /** Forgets those that became unreachable. */
    void forgetGone() {
        closed(null);
    }

    /**
     * Forgets a pool that opens no more arenas, and those that became unreachable. No lambda: if it
     * were linked while the Java heap is full, no pool could be closed ever after.
     */
    void closed(@Nullable PoolMemory pool) {
        for (Iterator<Known> all = known.iterator(); all.hasNext(); ) {
            Known each = all.next();
            if (each.refersTo(null) || each.refersTo(pool)) {
                former.add(each.name, each.number, each.leaks);
                each.registration.end();
                all.remove(); // last: until then it is ended again by the next one who looks
            }
        }
    }

    /** Tells others of the pools that were opened since the last step. */
    @Override
    public boolean run() {
        forgetGone();
        if (known.isEmpty()) {
            return false; // nobody to tell of
        }
        try {
            tell();
        } catch (NoClassDefFoundError missing) {
            if (!String.valueOf(missing.getMessage()).startsWith("io/polder/")) {
                throw missing;
            } // the loader of this class was closed: then nobody can be told
        }
        return false;
    }

    private void tell() {
        if (Events.AVAILABLE) {
            PeriodicEvents.begin();
        }
        if (MBeanRegistration.isPossible()) {
            for (Known each : known) {
                PoolMemory pool = each.get();
                if (pool != null) {
                    each.registration.begin(pool);
                    each.number = pool.number;
                }
            }
        }
        if (!told) {
            OtherCopies.warn();
        }
        told = true;
    }
}
