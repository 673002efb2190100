package io.polder;

import io.polder.DeepFirstUseProbe.Use;

import java.util.EnumSet;
import java.util.Set;

/**
 * A program for {@link ChildJvm}: opens things of Polder's, one after another, says so, and uses
 * each in a thread with stack enough. So the log of the JVM says which classes are initialised
 * later than what they belong to is opened.
 */
final class ClassInitProbe {
    private ClassInitProbe() {}

    /** Does it. */
    public static void main(String[] args) throws InterruptedException {
        MemoryPool pool = DeepFirstUseProbe.limited(MemoryPool.builder());
        pool.memory.prepare(); // links system calls, with stack enough
        use("arenas", pool, EnumSet.range(Use.CONFINED, Use.DEFERRED));
        use("pages", pool, EnumSet.of(Use.PAGE, Use.LISTS, Use.TRIM, Use.STATISTICS));
        use("refusals", pool, EnumSet.of(Use.REFUSED_SHARED, Use.REFUSED_PAGE_IN_TIME));
        pool.blocks();
        use("blocks", pool, EnumSet.of(Use.FREEING, Use.BLOCK, Use.REFUSED_BLOCK, Use.STATISTICS));
        pool.openHeap();
        use("heaps", pool, EnumSet.of(Use.HEAP, Use.REFUSED_OBJECT, Use.STATISTICS));
        MemoryPool traced =
                DeepFirstUseProbe.limited(MemoryPool.builder().leaks(LeakDetection.ALL));
        traced.blocks();
        use("traces", traced, EnumSet.range(Use.CONFINED, Use.STATISTICS));
        MemoryPool checked = DeepFirstUseProbe.limited(MemoryPool.builder().checkBlocks(true));
        checked.blocks();
        use("checks", checked, EnumSet.range(Use.CONFINED, Use.STATISTICS));
        System.out.println("opened");
        pool.close();
        traced.close();
        checked.close();
        System.out.println("used pools");
        System.exit(0);
    }

    private static void use(String what, MemoryPool pool, Set<Use> uses)
            throws InterruptedException {
        System.out.println("opened");
        for (Use each : uses) {
            try {
                DeepFirstUseProbe.use(each, pool);
            } catch (OutOfMemoryError refused) {
                System.out.println("refused");
            }
        }
        System.out.println("used " + what);
    }
}
