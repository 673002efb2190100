package io.polder.gate;

import io.polder.memory.ProcessFence;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;

/**
 * The fence between the write of a reader of a {@link Gate} and its next read, and between the
 * write and the read of a thread that waits for readers.
 *
 * <table>
 * <caption>Two kinds</caption>
 * <tr><th></th><th>a reader</th><th>a waiter</th></tr>
 * <tr><td>full</td><td>a full fence, some nanoseconds</td><td>a full fence</td></tr>
 * <tr><td>asymmetric</td><td>nothing but an order for the compiler</td><td>a
 *     {@link ProcessFence}, some microseconds</td></tr>
 * </table>
 *
 * <p>It is asymmetric where the kernel has registered the process for {@code membarrier(2)}, unless
 * the system property {@value #PROPERTY} is {@code full}. The kernel documents what that does, and
 * liburcu, folly and HotSpot rely on it in the same way. The Java platform does not promise that
 * {@link VarHandle#acquireFence} keeps a compiler from moving a read before an earlier write;
 * HotSpot's compilers move no access of memory across it, and a stress test looks for one that
 * does.
 *
 * <p>Immutable.
 */
public final class GateFence {
    /** The system property that decides: {@code auto}, or {@code full} for those who doubt. */
    public static final String PROPERTY = "polder.gate.fence";

    private final Runnable waiterFence;
    private final boolean asymmetric;

    private GateFence(Runnable waiterFence, boolean asymmetric) {
        this.waiterFence = waiterFence;
        this.asymmetric = asymmetric;
    }

    /** The fence for this process. */
    public static GateFence choose() {
        return choose(System.getProperty(PROPERTY), ProcessFence.ofThisProcess());
    }

    /**
     * Applies the rule. A setting that is not known is not used.
     *
     * @param setting the value of the property; null if it is not set
     */
    static GateFence choose(@Nullable String setting, ProcessFence process) {
        boolean full = setting != null && setting.strip().equalsIgnoreCase("full");
        return full || !process.isAvailable() ? full() : asymmetric(process::run);
    }

    /** The fence that works everywhere. */
    public static GateFence full() {
        return new GateFence(VarHandle::fullFence, false);
    }

    /**
     * The asymmetric fence.
     *
     * @param waiterFence what waiters do
     */
    static GateFence asymmetric(Runnable waiterFence) {
        return new GateFence(waiterFence, true);
    }

    /** Whether readers have no fence. */
    public boolean isAsymmetric() {
        return asymmetric;
    }

    /** Among the signals of every reader. */
    long signals() {
        return asymmetric ? 0 : Slots.FENCED;
    }

    /**
     * The fence of waiters.
     *
     * @throws io.polder.memory.OsCallException if the system refuses what it has granted before;
     *     then nothing is known of readers, and the wait may be begun again
     */
    public void run() {
        VarHandle.fullFence();
        waiterFence.run();
    }
}
