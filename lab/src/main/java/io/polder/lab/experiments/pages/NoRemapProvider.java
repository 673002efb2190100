package io.polder.lab.experiments.pages;

import io.polder.memory.ForwardingProvider;
import io.polder.memory.MemoryProvider;

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
        segment(to, bytes).copyFrom(segment(from, bytes));
        uncommit(from, bytes);
    }
}
