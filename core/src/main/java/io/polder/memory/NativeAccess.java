package io.polder.memory;

import java.lang.foreign.MemorySegment;

/**
 * The restricted call by which an address becomes a segment, in one place, and the question whether
 * it is allowed.
 */
public final class NativeAccess {

    private NativeAccess() {}

    /**
     * Whether restricted calls from this module go through. Asked by making one that does nothing;
     * where the JVM warns of restricted calls, it warns now.
     */
    public static boolean isAllowed() {
        try {
            return view(0, 0).byteSize() == 0;
        } catch (IllegalCallerException e) {
            return false;
        }
    }

    /** A segment over mapped memory whose scope is always alive. */
    @SuppressWarnings("restricted")
    static MemorySegment view(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }
}
