package io.polder;

import java.util.List;

/**
 * A pool as seen by management tools: {@code io.polder:type=MemoryPool,name="..."}.
 *
 * <p>Each pool is registered with the platform's MBean server about a second after it was opened,
 * if the program has module {@code java.management}, and until it is closed. The name is quoted; of
 * several pools with one name, the second and later ones have {@code number=2} and so on as well,
 * in the order in which they were opened. System property {@code polder.mxbean=false} turns that
 * off.
 *
 * <p>One more attribute, {@code Statistics}, is for dashboards: what {@link PoolStatistics} has, by
 * the same names, as {@code CompositeData}. A limit that is none is -1.
 *
 * <p>Every method but {@link #getFormerLeaks} throws {@link IllegalStateException} if the pool is
 * no longer reachable; it is then unregistered.
 *
 * <p>Thread-safe.
 */
public interface MemoryPoolMXBean {
    /** How closely the pool looks for leaks now. */
    LeakDetection getLeakDetection();

    /**
     * Makes the pool look for leaks of what is opened from now on; what is watched already stays
     * so. Of the common pool this makes running code be compiled again.
     */
    void setLeakDetection(LeakDetection leaks);

    /**
     * A line for each of the last pools of the process that were closed or became unreachable and
     * left leaks, the latest first.
     */
    List<String> getFormerLeaks();

    /** A line for each shrinker, as a cache is one: what it holds, as {@link #report} has it. */
    List<String> getShrinkers();

    /** What attribute {@code Statistics} says as text, for people. */
    String report();

    /** The pool's memory, piece by piece; {@link PoolMap#toString} is that as text. */
    PoolMap map();

    /**
     * Gives free memory back to the operating system at once.
     *
     * @return how many bytes were given back
     */
    long trim();
}
