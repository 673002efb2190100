package io.polder.lab.experiments.pages;

import io.polder.memory.ForwardingProvider;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Zeroing;

import java.lang.foreign.MemorySegment;

/**
 * A provider that cannot move memory, as on a system without {@code mremap}: what is asked to move
 * is copied.
 */
final class NoRemapProvider extends ForwardingProvider {
    NoRemapProvider(MemoryProvider provider) {
        super(provider);
    }

    @Override
    public String name() {
        return "no-remap";
    }

    @Override
    public boolean canRemap() {
        return false;
    }

    @Override
    public void remap(long from, long to, long bytes) {
        MemorySegment all = Zeroing.ADDRESS_SPACE;
        MemorySegment.copy(all, from, all, to, bytes);
        uncommit(from, bytes);
    }
}
