package io.polder.lab.experiments.blocks;

import io.polder.lab.harness.GivingBack;
import io.polder.lab.harness.Malloc;
import io.polder.lab.harness.MallocLibrary;

/**
 * Malloc by critical downcalls: without the change of the thread's state, which a program that may
 * block in a call should not leave out.
 *
 * @param library where malloc comes from in this process
 */
record CriticalSource(MallocLibrary library) implements BlockSource {
    @Override
    public long allocate(long bytes) {
        return Malloc.malloc(bytes);
    }

    @Override
    public void free(long address) {
        Malloc.free(address);
    }

    @Override
    public long reallocate(long address, long bytes) {
        return Malloc.realloc(address, bytes);
    }

    @Override
    public void giveBack() {
        GivingBack.by(library);
    }
}
