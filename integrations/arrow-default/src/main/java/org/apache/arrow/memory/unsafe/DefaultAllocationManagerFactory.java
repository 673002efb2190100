package org.apache.arrow.memory.unsafe;

import io.polder.arrow.PolderAllocationManager;

import org.apache.arrow.memory.AllocationManager;

/**
 * The class that makes Polder the memory of Arrow wherever this jar is on the class path.
 *
 * <p>Arrow looks for a class of this name before it looks for the one of {@code
 * arrow-memory-netty}, and takes the {@link #FACTORY} of the first one on the class path. It is not
 * in a package of ours since Arrow knows no other names.
 */
public final class DefaultAllocationManagerFactory {
    /** What Arrow takes, by reflection. */
    public static final AllocationManager.Factory FACTORY = PolderAllocationManager.FACTORY;

    private DefaultAllocationManagerFactory() {}
}
