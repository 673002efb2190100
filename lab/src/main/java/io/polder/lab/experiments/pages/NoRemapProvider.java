package io.polder.lab.experiments.pages;

import io.polder.memory.KernelLimits;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryProvider;
import io.polder.memory.OsCallException;

import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * A provider that cannot move memory, as on a system without {@code mremap}: what is asked to move
 * is copied.
 */
record NoRemapProvider(MemoryProvider provider) implements MemoryProvider {
    @Override
    public String name() {
        return "no-remap";
    }

    @Override
    public KernelLimits limits() {
        return provider.limits();
    }

    @Override
    public boolean canUncommit() {
        return provider.canUncommit();
    }

    @Override
    public boolean givesBack() {
        return provider.givesBack();
    }

    @Override
    public void onRefusedUncommit(Consumer<OsCallException> listener) {
        provider.onRefusedUncommit(listener);
    }

    @Override
    public void serves(MemoryBudget budget) {
        provider.serves(budget);
    }

    @Override
    public long reservableAheadBytes() {
        return provider.reservableAheadBytes();
    }

    @Override
    public boolean leavesToJdk(long bytes) {
        return provider.leavesToJdk(bytes);
    }

    @Override
    public long residentBytes(long address, long bytes) {
        return provider.residentBytes(address, bytes);
    }

    @Override
    public boolean canRemap() {
        return false;
    }

    @Override
    public long reserve(long bytes, long alignment) {
        return provider.reserve(bytes, alignment);
    }

    @Override
    public void release(long address, long bytes) {
        provider.release(address, bytes);
    }

    @Override
    public void commit(long address, long bytes) {
        provider.commit(address, bytes);
    }

    @Override
    public void populate(long address, long bytes) {
        provider.populate(address, bytes);
    }

    @Override
    public void uncommit(long address, long bytes) {
        provider.uncommit(address, bytes);
    }

    @Override
    public void uncommit(long[] addresses, long[] sizes, int count) {
        provider.uncommit(addresses, sizes, count);
    }

    @Override
    public void remap(long from, long to, long bytes) {
        provider.segment(to, bytes).copyFrom(provider.segment(from, bytes));
        provider.uncommit(from, bytes);
    }

    @Override
    public void renew(long address, long bytes) {
        provider.renew(address, bytes);
    }

    @Override
    public boolean adviseHugePages(long address, long bytes, boolean wanted) {
        return provider.adviseHugePages(address, bytes, wanted);
    }

    @Override
    public MemorySegment segment(long address, long bytes) {
        return provider.segment(address, bytes);
    }
}
