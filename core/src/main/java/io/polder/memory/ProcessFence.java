package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.lang.invoke.VarHandle;

/**
 * A full memory fence on every thread that runs Java, which only the thread that asks pays for.
 *
 * <p>After {@link #run} every other thread has passed a full fence at some moment between the call
 * and the return. So of two threads that each write one variable and then read the other's, only
 * one needs this fence between the two; the other may have none, as long as its compiler keeps the
 * order. At least one of them then sees the other's write.
 *
 * <table>
 * <caption>Two ways</caption>
 * <tr><th>{@code membarrier(2)}, expedited</th><td>the kernel interrupts the processors that run a
 *     thread of this process: microseconds, nothing for the threads that wait</td></tr>
 * <tr><th>a handshake</th><td>the JVM has each thread pass a safepoint, or sees that it runs no
 *     Java; that is what the close of a shared arena waits for. Some 20 microseconds, 200 with 400
 *     threads; milliseconds while threads that run have no processor, or until a long copy of
 *     memory has ended</td></tr>
 * </table>
 *
 * <p>The first is taken where the kernel has registered the process for it and does not refuse,
 * which it documents, and liburcu, folly and HotSpot rely on; the second elsewhere: outside Linux,
 * before Linux 4.14, in a sandbox that forbids the call, without native access, and with {@value
 * #PROPERTY}{@code =handshake}, for those who doubt. That a thread which passes a safepoint, or
 * leaves Java, has written what it wrote, and reads what was written before, is what the JVM itself
 * needs for the memory of shared arenas to be safe.
 *
 * <p>The Java platform does not promise that {@link VarHandle#acquireFence} keeps a compiler from
 * moving a read before an earlier write, which those rely on that have no fence of their own;
 * HotSpot's compilers move no access of memory across it, and a stress test looks for one that
 * does.
 *
 * <p>Thread-safe.
 */
public final class ProcessFence implements Runnable {
    /** The system property that decides: {@code auto}, or {@code handshake}. */
    public static final String PROPERTY = "polder.gate.fence";

    /** That of this process; no constant, because its initialiser could be cut short for good. */
    private static volatile @Nullable ProcessFence chosen;

    private final LinuxCalls calls;
    private final boolean usable;

    /**
     * A fence by these calls.
     *
     * @param calls the system's calls
     * @param usable whether calls may be made at all
     */
    ProcessFence(LinuxCalls calls, boolean usable) {
        this.calls = calls;
        this.usable = usable;
    }

    /** The fence of this process. Makes no system call yet. */
    public static ProcessFence ofThisProcess() {
        ProcessFence fence = chosen;
        if (fence == null) {
            String setting = System.getProperty(PROPERTY, "");
            fence =
                    new ProcessFence(
                            new LinuxCalls(),
                            Providers.hasLinuxCalls(
                                            System.getProperty("os.name", ""),
                                            System.getProperty("os.arch", ""))
                                    && NativeAccess.isAllowed()
                                    && !setting.strip().equalsIgnoreCase("handshake"));
            chosen = fence; // benign race: both are as good, and have no state
        }
        return fence;
    }

    /** Fences all threads. If it throws, nothing is known of other threads. */
    @Override
    public void run() {
        VarHandle.fullFence();
        if (!usable || (!isFenced() && (!isRegistered() || !isFenced()))) {
            Arena.ofShared().close();
        }
    }

    /** Fences; refused as long as the process is not registered. */
    private boolean isFenced() {
        return calls.membarrier(LinuxConstants.MEMBARRIER_CMD_PRIVATE_EXPEDITED) >= 0;
    }

    private boolean isRegistered() {
        return calls.membarrier(LinuxConstants.MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) >= 0;
    }
}
