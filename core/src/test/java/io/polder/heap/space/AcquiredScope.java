package io.polder.heap.space;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.lang.reflect.Method;

/**
 * Leaves the scope of a segment acquired, as a call of the JDK's does that a {@link
 * StackOverflowError} cuts off between acquire and release: no public method can.
 */
final class AcquiredScope {
    private static final String SESSION = "jdk.internal.foreign.MemorySessionImpl";

    private AcquiredScope() {}

    /** The scope can never be closed from now on. */
    static void leaveAcquired(MemorySegment segment) {
        try {
            Class<?> type = Class.forName("sun.misc.Unsafe");
            Field instance = type.getDeclaredField("theUnsafe");
            instance.setAccessible(true);
            Object unsafe = instance.get(null);
            Method offsetOf = type.getMethod("objectFieldOffset", Field.class);
            Method get = type.getMethod("getInt", Object.class, long.class);
            Method put = type.getMethod("putInt", Object.class, long.class, int.class);
            Field count = Class.forName(SESSION).getDeclaredField("acquireCount");
            Object offset = offsetOf.invoke(unsafe, count);
            Object scope = segment.scope();
            int acquired = (int) get.invoke(unsafe, scope, offset);
            Object _ = put.invoke(unsafe, scope, offset, acquired + 1);
        } catch (ReflectiveOperationException changed) {
            throw new LinkageError("the JDK counts who has acquired a scope", changed);
        }
    }
}
