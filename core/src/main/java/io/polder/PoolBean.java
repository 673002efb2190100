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

    @Override
    public PoolStatistics getStatistics() {
        return pool().stats();
    }

    @Override
    public long getUsedBytes() {
        return getStatistics().usedBytes();
    }

    @Override
    public long getCommittedBytes() {
        return getStatistics().usage().committedBytes();
    }

    @Override
    public long getReservedBytes() {
        return getStatistics().usage().reservedBytes();
    }

    @Override
    public long getFreeCommittedBytes() {
        return getStatistics().freeCommittedBytes();
    }

    @Override
    public long getCommittedMaxBytes() {
        return getStatistics().usage().committedMaxBytes();
    }

    @Override
    public long getReservedMaxBytes() {
        return getStatistics().usage().reservedMaxBytes();
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
        return getStatistics().leaks().leaked();
    }

    @Override
    public long getLeakedBytes() {
        return getStatistics().leaks().leakedBytes();
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
    public String map() {
        return pool().map();
    }

    @Override
    public long trim() {
        return pool().trim();
    }
}
