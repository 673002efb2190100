package io.polder.lab.experiments.elasticity;

import io.polder.lab.harness.GivingBack;
import io.polder.lab.harness.MallocLibrary;

/**
 * {@linkplain IdealMalloc Malloc, idealised}, that is asked to give memory back where Polder is
 * trimmed, by whatever its library has for that. A program has to know the library to do so.
 */
final class AskedMalloc implements OwnedMemory {
    private final IdealMalloc malloc;
    private final MallocLibrary library;

    /**
     * Creates a contender.
     *
     * @param library where malloc comes from
     */
    AskedMalloc(IdealMalloc malloc, MallocLibrary library) {
        this.malloc = malloc;
        this.library = library;
    }

    @Override
    public void open(int owner) {
        malloc.open(owner);
    }

    @Override
    public long allocate(int owner, long bytes) {
        return malloc.allocate(owner, bytes);
    }

    @Override
    public void close(int owner) {
        malloc.close(owner);
    }

    @Override
    public void giveBack(int thread) {
        GivingBack.by(library);
    }
}
