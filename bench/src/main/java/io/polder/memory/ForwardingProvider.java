package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.util.function.Consumer;

/** Passes every call on to another provider; a subclass changes a method or two. */
public abstract class ForwardingProvider implements MemoryProvider {
    private final MemoryProvider delegate;

    /** Passes calls on to {@code delegate}. */
    protected ForwardingProvider(MemoryProvider delegate) {
        this.delegate = delegate;
    }

    /** The provider that calls are passed on to. */
    protected final MemoryProvider delegate() {
        return delegate;
    }

    @Override
    public String name() {
        return delegate.name();
    }

    @Override
    public long osPageSize() {
        return delegate.osPageSize();
    }

    @Override
    public long maxMapCount() {
        return delegate.maxMapCount();
    }

    @Override
    public boolean canUncommit() {
        return delegate.canUncommit();
    }

    @Override
    public boolean givesBack() {
        return delegate.givesBack();
    }

    @Override
    public void onRefusedUncommit(Consumer<OsCallException> listener) {
        delegate.onRefusedUncommit(listener);
    }

    @Override
    public void serves(MemoryBudget budget) {
        delegate.serves(budget);
    }

    @Override
    public long reservableAheadBytes() {
        return delegate.reservableAheadBytes();
    }

    @Override
    public @Nullable MachineMemory exceededBy(long bytes) {
        return delegate.exceededBy(bytes);
    }

    @Override
    public boolean leavesToJdk(long bytes) {
        return delegate.leavesToJdk(bytes);
    }

    @Override
    public boolean canRemap() {
        return delegate.canRemap();
    }

    @Override
    public long reserve(long bytes, long alignment) {
        return delegate.reserve(bytes, alignment);
    }

    @Override
    public void release(long address, long bytes) {
        delegate.release(address, bytes);
    }

    @Override
    public boolean canReleaseMapped() {
        return delegate.canReleaseMapped();
    }

    @Override
    public void releaseMapped(long address, long bytes) {
        delegate.releaseMapped(address, bytes);
    }

    @Override
    public boolean isWhole(long address, long bytes) {
        return delegate.isWhole(address, bytes);
    }

    @Override
    public void commit(long address, long bytes) {
        delegate.commit(address, bytes);
    }

    @Override
    public void populate(long address, long bytes) {
        delegate.populate(address, bytes);
    }

    @Override
    public void uncommit(long address, long bytes) {
        delegate.uncommit(address, bytes);
    }

    @Override
    public void uncommit(long[] addresses, long[] sizes, int count) {
        delegate.uncommit(addresses, sizes, count);
    }

    @Override
    public void remap(long from, long to, long bytes) {
        delegate.remap(from, to, bytes);
    }

    @Override
    public void renew(long address, long bytes) {
        delegate.renew(address, bytes);
    }

    @Override
    public long residentBytes(long address, long bytes) {
        return delegate.residentBytes(address, bytes);
    }

    @Override
    public boolean adviseHugePages(long address, long bytes, boolean wanted) {
        return delegate.adviseHugePages(address, bytes, wanted);
    }
}
