package io.polder.memory;

import java.lang.management.ManagementFactory;

import javax.management.JMException;
import javax.management.ObjectName;

/** What threads allocate on the Java heap. */
public final class JavaHeap {
    /** To ask how much it is takes less. */
    public static final long NEXT_TO_NOTHING = 20_000;

    private JavaHeap() {}

    /** How much an action of the running thread allocates; {@link #NEXT_TO_NOTHING} is nothing. */
    public static long allocatedBy(Runnable action) {
        long _ = allocatedBytes(); // what that needs for the first time
        long before = allocatedBytes();
        action.run();
        return allocatedBytes() - before;
    }

    /** Of this thread, ever; asking takes some itself, next to nothing for many calls. */
    public static long allocatedBytes() {
        try {
            return (long)
                    ManagementFactory.getPlatformMBeanServer()
                            .getAttribute(
                                    new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME),
                                    "CurrentThreadAllocatedBytes");
        } catch (JMException e) {
            throw new AssertionError("HotSpot counts them", e);
        }
    }
}
