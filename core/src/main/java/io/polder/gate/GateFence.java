package io.polder.gate;

import io.polder.memory.ProcessFence;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.VarHandle;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

/**
 * The fence between the write of a reader of a {@link SlotGate} and its next read, and between the
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
 * <p>The Java platform does not promise that {@link VarHandle#acquireFence} keeps a compiler from
 * moving a read before an earlier write; HotSpot's compilers move no access of memory across it. So
 * the asymmetric fence is tested before readers rely on it, unless the system property {@value
 * FenceSetting#PROPERTY} decides:
 *
 * <pre>{@code
 *   full: readers and waiters       no ProcessFence, or full is asked for
 *
 *   under test --- FenceSelfTest finds no fault ---> asymmetric
 *      |   readers fence; waiters have the ProcessFence already
 *      +---- it finds one, or cannot begin ---> stays so, and says why
 * }</pre>
 *
 * <p>Readers may cease to fence at any moment, since waiters have always had what that takes. A
 * gate learns of it through the signals of its slots.
 *
 * <p>Thread-safe. The monitor of {@code untold} guards it, and is held for nothing else. That of
 * the class is held while the fence of the process is chosen: nothing is logged under it.
 */
public final class GateFence {
    private static final String UNDER_TEST = "full fence: the asymmetric one is under test";

    private static final GateFence FULL =
            new GateFence(VarHandle::fullFence, false, "full fence: asked for");

    /**
     * What was chosen. Not when a class is initialised: that is not done again where it is cut off.
     */
    private static volatile @Nullable GateFence chosen;

    private final Runnable waiterFence;
    private volatile boolean asymmetric; // once true, for ever
    private volatile String reason;
    private volatile boolean undecided;

    /** Whose readers still fence, and may cease to. */
    private final List<WeakReference<SlotProtocol>> untold = new ArrayList<>();

    private GateFence(Runnable waiterFence, boolean asymmetric, String reason) {
        this.waiterFence = waiterFence;
        this.asymmetric = asymmetric;
        this.reason = reason;
    }

    /**
     * The fence for this process: chosen at the first call, the same ever after. Where it must be
     * tested, a thread of its own does that, and readers have a full fence meanwhile.
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
     * The asymmetric fence, without a test.
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
     * @param waiterFence what waiters do
     */
    static GateFence asymmetric(Runnable waiterFence) {
        return new GateFence(waiterFence, true, "asymmetric fence: given");
    }

    /**
     * A fence that is asymmetric once {@link #free} is called.
     *
     * @param waiterFence what waiters do, from the beginning
     */
    static GateFence underTest(Runnable waiterFence) {
        GateFence fence = new GateFence(waiterFence, false, UNDER_TEST);
        fence.undecided = true;
        return fence;
    }

    /** Applies the rule. A fence that is under test is still to be tested. */
    static GateFence choose(FenceSetting setting, ProcessFence process, List<String> complaints) {
        if (setting == FenceSetting.FULL) {
            return FULL;
        }
        if (process.isAvailable()) {
            return setting == FenceSetting.ASYMMETRIC
                    ? asymmetric(process)
                    : underTest(process::run);
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

    /** Whether readers have no fence. May change from false to true. */
    public boolean isAsymmetric() {
        return asymmetric;
    }

    /** Whether it is under test still, so that readers may cease to fence soon. */
    public boolean isUnderTest() {
        return undecided;
    }

    /** Which fence this is, and why, in words fit for a log line and for statistics. */
    public String reason() {
        return reason;
    }

    /** Among the signals of a reader, as long as it must fence. */
    long signals() {
        return asymmetric ? 0 : Slots.FENCED;
    }

    /** Says how far the test has come. */
    void tried(String progress) {
        undecided = true;
        reason = UNDER_TEST + ", " + progress;
    }

    /** Says why readers will always fence. */
    void keep(String why) {
        reason = "full fence: " + why;
        undecided = false;
    }

    /** Readers have no fence from now on; what an error has cut off is done when called again. */
    void free(String why) {
        String text = "asymmetric fence: " + why;
        List<WeakReference<SlotProtocol>> all;
        synchronized (untold) {
            all = List.copyOf(untold);
            reason = text;
            asymmetric = true;
            undecided = false;
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

    /** Has a gate whose readers fence told when they need not; does not keep it alive. */
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
     * The fence of waiters.
     *
     * @throws io.polder.memory.OsCallException if the system refuses what it has granted before
     */
    public void run() {
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
            FenceSelfTest.complain(complaints);
            if (setting == FenceSetting.AUTO && process.isAvailable()) {
                FenceSelfTest.start(fence, asymmetric(process));
            }
        }
        return fence;
    }
}
