package io.polder.stress.everywhere;

import io.polder.memory.Errno;
import io.polder.memory.ForwardingProvider;
import io.polder.memory.FreshProvider;
import io.polder.memory.MachineMemory;
import io.polder.memory.MemoryProvider;
import io.polder.memory.OsCallException;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * A provider that passes every call on to another, but for those that {@link Throwing} refuses; and
 * remembers what is reserved.
 *
 * <p>Ranges of a batch and granules of a remap are calls of their own here, so that one in the
 * middle can fail. A call that fails has no effect.
 *
 * <p>Thread-safe.
 */
public final class FailingProvider extends ForwardingProvider {
    private final Map<Long, Long> reserved = new HashMap<>();

    /** What was released and stays mapped; the largest size of each that was reserved there. */
    private final Map<Long, Long> left = new HashMap<>();

    public FailingProvider(MemoryProvider delegate) {
        super(delegate);
    }

    /** What was reserved and not released. */
    public synchronized long reservedBytes() {
        return reserved.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * Gives all memory back that is reserved, and keeps the addresses: a thread that still uses
     * them does no harm to others.
     */
    public synchronized void abandon() {
        reserved.forEach(delegate()::uncommit);
    }

    /** Asks for nothing: a request is refused by a call of the system here, or not at all. */
    @Override
    public @Nullable MachineMemory exceededBy(long bytes) {
        return null;
    }

    @Override
    public long residentBytes(long address, long bytes) {
        return Throwing.refuses() ? bytes : delegate().residentBytes(address, bytes);
    }

    @Override
    public synchronized long reserve(long bytes, long alignment) {
        pass("reserve", 0, bytes);
        long address = delegate().reserve(bytes, alignment);
        reserved.put(address, bytes);
        return address;
    }

    @Override
    public synchronized void release(long address, long bytes) {
        pass("release", address, bytes);
        delegate().release(address, bytes);
        reserved.remove(address);
    }

    @Override
    public synchronized void releaseMapped(long address, long bytes) {
        pass("release", address, bytes);
        delegate().releaseMapped(address, bytes);
        reserved.remove(address);
        if (delegate().canReleaseMapped()) {
            left.merge(address, bytes, Math::max);
        }
    }

    /**
     * Unmaps what stays mapped: the provider is used no more, nor is what it had reserved. Without
     * that thousands of providers would leave the process no mappings.
     */
    public synchronized void unmapLeft() {
        left.forEach(FreshProvider::unmap);
        left.clear();
    }

    @Override
    public void commit(long address, long bytes) {
        pass("commit", address, bytes);
        delegate().commit(address, bytes);
    }

    @Override
    public void populate(long address, long bytes) {
        pass("populate", address, bytes);
        delegate().populate(address, bytes);
    }

    @Override
    public void uncommit(long address, long bytes) {
        pass("uncommit", address, bytes);
        delegate().uncommit(address, bytes);
    }

    @Override
    public void uncommit(long[] addresses, long[] sizes, int count) {
        int allowed = 0;
        OsCallException refusal = null;
        while (allowed < count && refusal == null) {
            refusal = refusal("uncommit", addresses[allowed], sizes[allowed], allowed);
            allowed += refusal == null ? 1 : 0;
        }
        delegate().uncommit(addresses, sizes, allowed);
        if (refusal != null) {
            throw refusal;
        }
    }

    @Override
    public void remap(long from, long to, long bytes) {
        long allowed = 0;
        OsCallException refusal = null;
        while (allowed < bytes && refusal == null) {
            int done = Math.toIntExact(allowed / REMAP_GRANULE_BYTES);
            refusal = refusal("remap", from + allowed, REMAP_GRANULE_BYTES, done);
            allowed += refusal == null ? REMAP_GRANULE_BYTES : 0;
        }
        if (allowed > 0) {
            delegate().remap(from, to, allowed);
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    @Override
    public void renew(long address, long bytes) {
        pass("renew", address, bytes);
        delegate().renew(address, bytes);
    }

    @Override
    public boolean adviseHugePages(long address, long bytes, boolean wanted) {
        return !Throwing.refuses() && delegate().adviseHugePages(address, bytes, wanted);
    }

    private static void pass(String call, long address, long bytes) {
        OsCallException refusal = refusal(call, address, bytes, 0);
        if (refusal != null) {
            throw refusal;
        }
    }

    private static @Nullable OsCallException refusal(
            String call, long address, long bytes, int done) {
        return Throwing.refuses()
                ? new OsCallException("injected " + call, Errno.ENOMEM, address, bytes, done)
                : null;
    }
}
