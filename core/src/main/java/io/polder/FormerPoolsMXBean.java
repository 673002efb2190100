package io.polder;

import java.util.List;

/**
 * The leaks of pools that are gone, as seen by management tools: {@code
 * io.polder:type=FormerPools}.
 *
 * <p>It is registered with the platform's MBean server as the pools are, where one looks for leaks,
 * or did so, and stays. Where there are several copies of the library, that of the second and later
 * ones has {@code number=2} and so on as well.
 *
 * <p>Thread-safe.
 */
public interface FormerPoolsMXBean {
    /** Pools that are gone and left leaks, as {@link MemoryPool#formerPools} says. */
    List<FormerPool> getPools();

    /** How many there were before those, of which nothing else is known any more. */
    long getForgotten();

    /** Both as text, for people; empty if there are none. */
    String report();
}
