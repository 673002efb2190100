package io.polder.gate;

import java.util.concurrent.TimeUnit;

/**
 * Tries whether an asymmetric fence works here: a thread passes while another one closes, again and
 * again, through the very code of {@link SlotVisitor}.
 *
 * <pre>{@code
 *   round     passing thread                     closing thread
 *     n       waits for n                        opens; turn = n
 *             tryEnter                           CLOSED; fence; looks at the slot
 *             reports n, and whether it entered  waits for the report
 *             leaves in round n + 1
 * }</pre>
 *
 * <p>A round is <i>bad</i> if the thread entered although the other one had closed and saw nobody
 * inside. Without the fence some rounds in a thousand are, on a machine with two processors; with
 * one processor none ever is, fence or not, and the asymmetric fence is as good as any.
 *
 * <p>Ends at a number of rounds or after a time, whichever comes first, and at the first bad round.
 * The passing thread is a daemon that ends with the trial. If it cannot be started, the trial counts
 * as failed.
 */
final class FenceTrial {
    /** How much is tried when the fence is chosen: guessed, to take some milliseconds. */
    static final Limits AT_START = new Limits(20_000, TimeUnit.MILLISECONDS.toNanos(20));

    /** The other thread needs as long to notice a round; in units of one spin. Guessed. */
    private static final int DELAYS = 64;

    /** Spins before giving way, for machines with one processor. Guessed. */
    private static final int SPINS = 1000;

    /** Instead of a round: the trial is over. */
    private static final int STOP = -1;

    private final Slots slots = new Slots();
    private final int slot = slots.append(0);
    private final long[] block = slots.block(slot);
    private final int at = Slots.at(slot);
    private final GateFence fence;

    /** The round that the closing thread has begun. */
    private volatile int turn;

    /** The round that the passing thread has reported. */
    private volatile int reported;

    /** Of that round; published by it. */
    private boolean entered;

    /** When to stop. */
    record Limits(int rounds, long nanos) {}

    /**
     * What was seen.
     *
     * @param rounds how many there were
     * @param bad how many of these were bad; 1 at most
     * @param started whether there was a thread to try with
     */
    record Result(int rounds, int bad, boolean started) {
        boolean isGood() {
            return started && bad == 0;
        }

        String describe() {
            return started
                    ? "tried " + rounds + " times, bad " + bad
                    : "not tried: no thread can be started";
        }
    }

    private FenceTrial(GateFence fence) {
        this.fence = fence;
    }

    /** Tries a fence. */
    static Result run(GateFence fence, Limits limits) {
        return new FenceTrial(fence).run(limits);
    }

    private Result run(Limits limits) {
        Thread passing =
                Thread.ofPlatform()
                        .name("polder-fence-trial")
                        .daemon()
                        .inheritInheritableThreadLocals(false)
                        .unstarted(this::pass);
        passing.setContextClassLoader(null);
        try {
            passing.start();
        } catch (OutOfMemoryError noThread) {
            return new Result(0, 0, false);
        }
        long start = System.nanoTime();
        int round = 0;
        int bad = 0;
        try {
            while (bad == 0 && round < limits.rounds()) {
                round++;
                bad += isBad(round) ? 1 : 0;
                if (System.nanoTime() - start >= limits.nanos()) {
                    break;
                }
            }
        } finally {
            turn = STOP;
        }
        return new Result(round, bad, true);
    }

    private boolean isBad(int round) {
        Slots.setSignals(block, at, 0);
        turn = round;
        for (int i = round % DELAYS; i > 0; i--) {
            Thread.onSpinWait();
        }
        Slots.addSignal(block, at, Slots.CLOSED);
        fence.run();
        boolean seen = Visit.isInside(Slots.visitAcquire(block, at));
        for (int spins = 1; reported != round; spins++) {
            pause(spins);
        }
        return entered && !seen;
    }

    /** What the passing thread does. */
    private void pass() {
        Door never = new Door(new CounterProtocol(new Stripes(1), new Drain(), () -> {}));
        SlotVisitor visitor =
                new SlotVisitor(
                        Thread.currentThread(),
                        never,
                        new Visitor.Place(slot, block, at),
                        new Drain(),
                        !fence.isAsymmetric());
        boolean inside = false;
        int round = 0;
        while (true) {
            int now = turn;
            for (int spins = 1; now == round; spins++) {
                pause(spins);
                now = turn;
            }
            if (now == STOP) {
                return;
            }
            round = now;
            if (inside) {
                visitor.leaveUnchecked();
            }
            inside = visitor.tryEnterUnchecked();
            entered = inside;
            reported = round;
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // helps if both have one processor
    private static void pause(int spins) {
        if (spins % SPINS == 0) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }
}
