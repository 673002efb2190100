package io.polder.memory;

import org.jspecify.annotations.Nullable;

/**
 * A full memory fence on every thread of this process, which only the thread that asks pays for.
 *
 * <p>After {@link #run} every other thread has passed a full fence at some moment between the call
 * and the return. So of two threads that each write one variable and then read the other's, only
 * one needs this fence between the two; the other may have none, as long as its compiler keeps the
 * order. At least one of them then sees the other's write.
 *
 * <p>By {@code membarrier(2)}, expedited: the kernel interrupts the processors that run a thread of
 * this process. Microseconds, more with busy threads, nothing for the threads that wait.
 *
 * <p><b>Where there is none</b>: outside Linux, before Linux 4.14, in a sandbox that forbids the
 * call, without native access. {@link #isAvailable} says so and {@link #reason} why.
 *
 * <p>Thread-safe.
 */
public final class ProcessFence {

    /** The kernel may be short of memory for a moment; far more often than that is no moment. */
    private static final int TRIES = 1000;

    /** That of this process; no constant, because its initialiser could be cut short for good. */
    private static volatile @Nullable ProcessFence chosen;

    private final LinuxCalls calls;
    private final LinuxFeatures features;
    private final boolean usable;

    /**
     * A fence by these calls.
     *
     * @param calls the system's calls
     * @param usable whether calls may be made at all
     */
    ProcessFence(LinuxCalls calls, boolean usable) {
        this.calls = calls;
        this.features = new LinuxFeatures(calls, AuxiliaryVector.OS_PAGE_SIZE_MAX);
        this.usable = usable;
    }

    /** The fence of this process. Makes no system call yet. */
    public static ProcessFence ofThisProcess() {
        ProcessFence fence = chosen;
        if (fence == null) {
            fence =
                    new ProcessFence(
                            new LinuxCalls(),
                            Providers.hasLinuxCalls(
                                            System.getProperty("os.name", ""),
                                            System.getProperty("os.arch", ""))
                                    && NativeAccess.isAllowed());
            chosen = fence; // benign race: both are as good, and have no state but what they know
        }
        return fence;
    }

    /** Whether {@link #run} works; tried out when it is first asked. */
    public boolean isAvailable() {
        return usable && features.membarrier();
    }

    /** Why it is available or not, in words fit for statistics. */
    public String reason() {
        if (!usable) {
            return "no membarrier: not Linux, or native access is denied";
        }
        return isAvailable() ? "membarrier" : "membarrier is refused by the kernel or a sandbox";
    }

    /**
     * Fences all threads. Only where it {@linkplain #isAvailable is available}.
     *
     * @throws OsCallException if the kernel refuses what it has granted before; then nothing is
     *     known of other threads
     */
    @SuppressWarnings("ThreadPriorityCheck") // memory may come back while others run
    public void run() {
        for (int tries = 1; ; tries++) {
            long result = calls.membarrier(LinuxConstants.MEMBARRIER_CMD_PRIVATE_EXPEDITED);
            if (result >= 0) {
                return;
            }
            boolean momentary = result == -Errno.ENOMEM || result == -Errno.EAGAIN;
            if (!momentary || tries == TRIES) {
                throw new OsCallException(
                        "membarrier(PRIVATE_EXPEDITED)", Math.toIntExact(-result), 0, 0);
            }
            Thread.yield();
        }
    }
}
