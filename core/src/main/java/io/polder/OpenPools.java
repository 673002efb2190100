package io.polder;

import io.polder.background.Background;
import io.polder.background.Step;
import io.polder.background.Task;
import io.polder.event.Events;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The pools of this process that are open, for those who look from outside.
 *
 * <pre>{@code
 *   pool opened --> known --a second later, in the background--> registered as an MXBean
 *                     |                                             |
 *                     +--closed, or unreachable--> forgotten <------+
 * }</pre>
 *
 * <p>Nothing is registered in the thread that opens a pool, and nothing in a program that ends
 * within a second: the platform's MBean server takes longer to start than all of Polder. The first
 * step also has Flight Recorder ask for periodic statistics, where there is one, and looks for
 * other copies of the library.
 *
 * <p>Pools are known by weak references, so being known keeps none alive. What one that became
 * unreachable leaves behind is removed when the next pool is opened, closed or looked at; what is
 * cut off in that is done by the one after it.
 *
 * <p>Thread-safe. Its own monitor is held for a walk that finds the next number of a name.
 */
final class OpenPools implements Step {
    static final OpenPools INSTANCE = new OpenPools(PoolBackground.TELLING);

    /** Guessed: programs that nobody looks at are over by then. */
    private static final long DELAY_NANOS = 1_000_000_000;

    private final Set<Known> known = ConcurrentHashMap.newKeySet();
    private final Task task;
    private volatile boolean told;

    /** A pool, and its MXBean. */
    private static final class Known extends WeakReference<PoolMemory> {
        private final PoolRegistration registration = new PoolRegistration();
        private final String name;
        private final int number;

        Known(PoolMemory pool, int number) {
            super(pool);
            this.name = pool.name();
            this.number = number;
        }
    }

    private OpenPools(Background background) {
        this.task = background.task(this, DELAY_NANOS);
    }

    /** A pool can be used from now on. */
    void opened(PoolMemory pool) {
        forgetGone();
        numberAndAdd(pool);
        task.wake();
    }

    /** Pools of one name have numbers in the order in which they were opened. */
    private synchronized void numberAndAdd(PoolMemory pool) {
        int number = 1;
        for (Known each : known) {
            if (each.name.equals(pool.name())) {
                number = Math.max(number, each.number + 1);
            }
        }
        pool.setNumber(number);
        known.add(new Known(pool, number));
    }

    /** A pool opens no more arenas. */
    void closed(PoolMemory pool) {
        forgetGone();
        for (Known each : known) {
            if (each.refersTo(pool)) {
                forget(each);
            }
        }
    }

    /** Those that are open and reachable, in no order. */
    List<PoolMemory> list() {
        forgetGone();
        return reachable();
    }

    /** The same, and runs no code of others. */
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

    /** Those that programs can reach, in no order; cannot be changed. */
    List<MemoryPool> pools() {
        List<MemoryPool> pools = new ArrayList<>();
        for (PoolMemory each : list()) {
            MemoryPool pool = each.pool();
            if (pool != null) {
                pools.add(pool);
            }
        }
        return List.copyOf(pools);
    }

    /** Their reports, that of the common pool first, then by name and number. */
    String reports() {
        List<PoolMemory> pools = list();
        pools.sort(
                Comparator.comparing((PoolMemory pool) -> !pool.isCommon())
                        .thenComparing(PoolMemory::name)
                        .thenComparing(PoolMemory::number));
        return String.join("\n", pools.stream().map(PoolMemory::report).toList());
    }

    /** Forgets those that became unreachable. */
    void forgetGone() {
        for (Known each : known) {
            if (each.refersTo(null)) {
                forget(each);
            }
        }
    }

    private void forget(Known pool) {
        pool.registration.end();
        known.remove(pool); // last: until then it is ended again by the next one who looks
    }

    /** Tells others of the pools that were opened since the last step. */
    @Override
    public boolean run() {
        if (Events.AVAILABLE) {
            PeriodicEvents.begin();
        }
        if (PoolRegistration.isPossible()) {
            List<Known> inOrder = new ArrayList<>(known);
            inOrder.sort(Comparator.comparingInt(each -> each.number));
            for (Known each : inOrder) {
                PoolMemory pool = each.get();
                if (pool != null) {
                    each.registration.begin(pool);
                }
            }
        }
        if (!told) {
            OtherCopies.warn();
        }
        told = true;
        return false;
    }

    /** Whether a step has ended, for tests. */
    boolean told() {
        return told;
    }
}
