package io.polder;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Objects;

/** The MXBean of one pool, which it does not keep alive. Thread-safe. */
final class PoolBean implements MemoryPoolMXBean {
    private final String name;
    private final WeakReference<PoolMemory> pool;

    PoolBean(PoolMemory pool) {
        this.name = pool.name();
        this.pool = new WeakReference<>(pool);
    }

    private PoolMemory pool() {
        PoolMemory found = pool.get();
        if (found == null) {
            OpenPools.INSTANCE.forgetGone(); // and with it this bean
            throw new IllegalStateException("the pool is no longer reachable: name=" + name);
        }
        return found;
    }

    @Override
    public String getName() {
        return name;
    }

    PoolStatistics stats() {
        return pool().stats();
    }

    @Override
    public long getUsedBytes() {
        return stats().usedBytes();
    }

    @Override
    public long getCommittedBytes() {
        return stats().committedBytes();
    }

    @Override
    public long getReservedBytes() {
        return stats().reservedBytes();
    }

    @Override
    public long getFreeCommittedBytes() {
        return stats().freeCommittedBytes();
    }

    @Override
    public long getCommittedMaxBytes() {
        return stats().committedMaxBytes();
    }

    @Override
    public long getReservedMaxBytes() {
        return stats().reservedMaxBytes();
    }

    @Override
    public LeakDetection getLeakDetection() {
        return pool().leakDetection();
    }

    @Override
    public void setLeakDetection(LeakDetection leaks) {
        pool().watch(Objects.requireNonNull(leaks, "leaks"));
        OpenPools.INSTANCE.watched();
    }

    @Override
    public long getLeaked() {
        return stats().leaks().leaked();
    }

    @Override
    public long getLeakedBytes() {
        return stats().leaks().leakedBytes();
    }

    @Override
    public List<String> getFormerLeaks() {
        return OpenPools.INSTANCE.formerLeaks();
    }

    @Override
    public String report() {
        return pool().report();
    }

    @Override
    public PoolMap map() {
        return pool().map();
    }

    @Override
    public String mapText() {
        return pool().map().toString();
    }

    @Override
    public long trim() {
        return pool().trim();
    }
}
