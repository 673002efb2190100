package io.polder.gate;

import io.polder.memory.ProcessFence;

import java.lang.System.Logger.Level;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * What stands between the write of a thread that passes a {@link SlotGate} and its next read, and
 * between the write and the read of a thread that waits for it.
 *
 * <table>
 * <caption>Two kinds</caption>
 * <tr><th></th><th>who passes</th><th>who waits</th></tr>
 * <tr><td>full</td><td>a full fence, some nanoseconds</td><td>a full fence</td></tr>
 * <tr><td>asymmetric</td><td>nothing but an order for the compiler</td><td>a
 *     {@link ProcessFence}, some microseconds</td></tr>
 * </table>
 *
 * <p>That {@link VarHandle#acquireFence} keeps a compiler from moving a read before an earlier
 * write is no promise of the Java platform; HotSpot's compilers move no access of memory across it.
 * So the asymmetric fence is tried out before it is used, by {@link FenceTrial}, unless the
 * system property {@value FenceSetting#PROPERTY} decides.
 *
 * <p>Immutable.
 */
public final class GateFence {
    private static final GateFence FULL =
            new GateFence(VarHandle::fullFence, false, "full fence: asked for");

    private final Runnable waiterFence;
    private final boolean asymmetric;
    private final String reason;

    private GateFence(Runnable waiterFence, boolean asymmetric, String reason) {
        this.waiterFence = waiterFence;
        this.asymmetric = asymmetric;
        this.reason = reason;
    }

    /** The fence for this process: chosen at the first call, the same ever after. */
    public static GateFence choose() {
        return Chosen.FENCE;
    }

    /** The fence that works everywhere. */
    public static GateFence full() {
        return FULL;
    }

    /**
     * The asymmetric fence, without a trial.
     *
     * @param process what fences all threads
     * @throws IllegalArgumentException if that is not available
     */
    public static GateFence asymmetric(ProcessFence process) {
        if (!process.isAvailable()) {
            throw new IllegalArgumentException(
                    "an asymmetric fence needs a fence of all threads: " + process.reason());
        }
        return new GateFence(process::run, true, "asymmetric fence: " + process.reason());
    }

    /**
     * An asymmetric fence of somebody else's making, good or bad.
     *
     * @param waiterFence what who waits does
     */
    static GateFence asymmetric(Runnable waiterFence) {
        return new GateFence(waiterFence, true, "asymmetric fence: given");
    }

    /** Applies the rule. */
    static GateFence choose(FenceSetting setting, ProcessFence process, List<String> complaints) {
        if (setting == FenceSetting.FULL) {
            return FULL;
        }
        if (!process.isAvailable()) {
            if (setting == FenceSetting.ASYMMETRIC) {
                complaints.add(
                        FenceSetting.PROPERTY
                                + " asks for a fence that cannot be had: "
                                + process.reason()
                                + "; using full");
            }
            return full(process.reason());
        }
        GateFence fence = asymmetric(process);
        if (setting == FenceSetting.ASYMMETRIC) {
            return fence;
        }
        FenceTrial.Result result = FenceTrial.run(fence, FenceTrial.AT_START);
        if (result.isGood()) {
            return new GateFence(process::run, true, fence.reason + ", " + result.describe());
        }
        complaints.add("gates use a full fence, as the cheaper one failed: " + result.describe());
        return full(result.describe());
    }

    private static GateFence full(String reason) {
        return new GateFence(VarHandle::fullFence, false, "full fence: " + reason);
    }

    /** Whether those who pass have no fence. */
    public boolean isAsymmetric() {
        return asymmetric;
    }

    /** What is always among the signals of a visitor. */
    long signals() {
        return asymmetric ? 0 : Slots.FENCED;
    }

    /** Which fence this is, and why, in words fit for a log line and for statistics. */
    public String reason() {
        return reason;
    }

    /**
     * The fence of those who wait.
     *
     * @throws io.polder.memory.OsCallException if the system refuses what it has granted before
     */
    void run() {
        VarHandle.fullFence();
        waiterFence.run();
    }

    /** Delays the choice until somebody asks. */
    private static final class Chosen {
        static final GateFence FENCE = chooseAndLog();

        private static GateFence chooseAndLog() {
            List<String> complaints = new ArrayList<>();
            FenceSetting setting =
                    FenceSetting.parse(System.getProperty(FenceSetting.PROPERTY), complaints);
            GateFence fence = choose(setting, ProcessFence.ofThisProcess(), complaints);
            System.Logger logger = System.getLogger("io.polder");
            complaints.forEach(complaint -> logger.log(Level.WARNING, complaint));
            return fence;
        }
    }
}
