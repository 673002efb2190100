package io.polder.gate;

import io.polder.memory.ProcessFence;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
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
 * So the asymmetric fence is tried out before visitors rely on it, unless the system property
 * {@value FenceSetting#PROPERTY} decides:
 *
 * <pre>{@code
 *   full: visitors and who waits     no ProcessFence, or full is asked for
 *
 *   on trial --- FenceProof finds it good ---> asymmetric
 *      |   both fence; who waits by the ProcessFence already
 *      +---- it finds it bad, or learns too little ---> stays so, and says why
 * }</pre>
 *
 * <p>Visitors may cease to fence at any moment, since who waits has always had what that takes. A
 * gate learns of it through the signals of its slots.
 *
 * <p>Thread-safe. The monitor of {@code untold} guards it, and is held for nothing else. That of
 * the class is held while the fence of the process is chosen: nothing is logged under it.
 */
public final class GateFence {
    private static final GateFence FULL =
            new GateFence(VarHandle::fullFence, false, "full fence: asked for");

    /**
     * What was chosen. Not when a class is initialised: that is not done again where it is cut off.
     */
    private static volatile @Nullable GateFence chosen;

    private final Runnable waiterFence;
    private volatile boolean asymmetric; // once true, for ever
    private volatile String reason;

    /** Whose visitors still fence, and may cease to. */
    private final List<WeakReference<SlotProtocol>> untold = new ArrayList<>();

    private GateFence(Runnable waiterFence, boolean asymmetric, String reason) {
        this.waiterFence = waiterFence;
        this.asymmetric = asymmetric;
        this.reason = reason;
    }

    /**
     * The fence for this process: chosen at the first call, the same ever after. Where it is to be
     * tried out, that goes on in threads of its own, and visitors have a full fence meanwhile.
     */
    public static GateFence choose() {
        GateFence fence = chosen;
        return fence == null ? chooseLocking() : fence;
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

    /**
     * One that is asymmetric once {@link #free} is called.
     *
     * @param waiterFence what who waits does, from the beginning
     */
    static GateFence onTrial(Runnable waiterFence) {
        return new GateFence(waiterFence, false, "full fence: the asymmetric one is on trial");
    }

    /** Applies the rule. A fence that is on trial is still to be proved. */
    static GateFence choose(FenceSetting setting, ProcessFence process, List<String> complaints) {
        if (setting == FenceSetting.FULL) {
            return FULL;
        }
        if (process.isAvailable()) {
            return setting == FenceSetting.ASYMMETRIC ? asymmetric(process) : onTrial(process::run);
        }
        if (setting == FenceSetting.ASYMMETRIC) {
            complaints.add(
                    FenceSetting.PROPERTY
                            + " asks for a fence that cannot be had: "
                            + process.reason()
                            + "; using full");
        }
        return new GateFence(VarHandle::fullFence, false, "full fence: " + process.reason());
    }

    /** Whether those who pass have no fence. May change from false to true. */
    public boolean isAsymmetric() {
        return asymmetric;
    }

    /** Which fence this is, and why, in words fit for a log line and for statistics. */
    public String reason() {
        return reason;
    }

    /** Among the signals of a visitor, as long as it must fence. */
    long signals() {
        return asymmetric ? 0 : Slots.FENCED;
    }

    /** Says why visitors still fence. */
    void keep(String why) {
        reason = "full fence: " + why;
    }

    /** Visitors have no fence from now on; what an error has cut off is done when called again. */
    void free(String why) {
        String text = "asymmetric fence: " + why;
        List<WeakReference<SlotProtocol>> all;
        synchronized (untold) {
            all = List.copyOf(untold);
            reason = text;
            asymmetric = true;
        }
        for (WeakReference<SlotProtocol> reference : all) {
            SlotProtocol protocol = reference.get();
            if (protocol != null) {
                protocol.unfence();
            }
        }
        synchronized (untold) {
            untold.clear(); // and nobody is added any more
        }
    }

    /** Has a gate whose visitors fence told when they need not; does not keep it alive. */
    void tellWhenFree(SlotProtocol protocol) {
        synchronized (untold) {
            if (!asymmetric) {
                untold.removeIf(reference -> reference.refersTo(null));
                untold.add(new WeakReference<>(protocol));
                return;
            }
        }
        protocol.unfence();
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

    private static synchronized GateFence chooseLocking() {
        GateFence fence = chosen;
        if (fence == null) {
            List<String> complaints = new ArrayList<>();
            FenceSetting setting =
                    FenceSetting.parse(System.getProperty(FenceSetting.PROPERTY), complaints);
            ProcessFence process = ProcessFence.ofThisProcess();
            fence = choose(setting, process, complaints);
            chosen = fence;
            FenceProof.complain(complaints);
            if (setting == FenceSetting.AUTO && process.isAvailable()) {
                FenceProof.start(fence, asymmetric(process));
            }
        }
        return fence;
    }
}
