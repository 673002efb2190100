package io.polder.gate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadFactory;

/**
 * Tries whether an asymmetric fence works here: a thread passes and reads while another one writes
 * and looks who is inside, again and again, through the very code of {@link SlotVisitor}.
 *
 * <pre>{@code
 *   round     passing thread                     waiting thread
 *     n       waits for n                        turn = n
 *             tryEnter                           data = n
 *             reads data                         fence
 *             reports n and what it read         looks at the slot
 *             waits for -n                       waits for the report; turn = -n
 *             leaves, reports -n                 waits for the report
 * }</pre>
 *
 * <p>A round is <i>bad</i> if the passing thread read the data of an earlier round, and the other
 * one saw nobody inside. Without the fence some rounds in a thousand are, where two processors run
 * the two; on one processor none ever is, fence or not, and the asymmetric fence is as good as any.
 * Data and slot lie in different cache lines, and both threads have both lines when a round begins:
 * so the write of the slot takes long, and the read does not.
 *
 * <p>Ends at a number of rounds or after a time, whichever comes first, and at the first bad round.
 * The passing thread is a daemon that ends with the trial. If it cannot be started, or dies, as it
 * may where the Java heap is full, the trial says nothing.
 */
final class FenceTrial {
    /** The other thread needs as long to notice a round; in units of one spin. Guessed. */
    private static final int DELAYS = 64;

    /** Spins before giving way, for machines with one processor. Guessed. */
    private static final int SPINS = 1000;

    /** Instead of a round: the trial is over. */
    private static final int STOP = Integer.MIN_VALUE;

    /** Two cache lines. */
    private static final int APART = 16;

    private static final VarHandle DATA = MethodHandles.arrayElementVarHandle(long[].class);

    private final Slots slots = new Slots();
    private final GateFence fence;
    private final int slot;
    private final long[] words;
    private final Thread passing;
    private int rounds;
    private int bad;

    /** Apart from everything else: far from both ends. */
    private final long[] data = new long[2 * APART + 1];

    /** The round that the waiting thread has begun, or that it has done with, negated. */
    private volatile int turn;

    /** The round that the passing thread has reported, or left, negated. */
    private volatile int reported;

    /** What it read in that round; published by it. */
    private long read;

    /** When to stop. */
    record Limits(int rounds, long nanos) {}

    /** One that is to be run once. */
    FenceTrial(GateFence fence) {
        this(fence, work -> QuietDaemon.of("polder-fence-trial", work));
    }

    /** One with a thread of somebody else's making. */
    FenceTrial(GateFence fence, ThreadFactory threads) {
        this.fence = fence;
        this.slot = slots.append(fence.signals());
        this.words = slots.get(slot);
        this.passing = threads.newThread(this::pass);
    }

    /** How many rounds there were. */
    int rounds() {
        return rounds;
    }

    /** How many of these were bad; 1 at most. Known also if an error ended the trial. */
    int bad() {
        return bad;
    }

    String describe() {
        return "tried " + rounds + " times, bad " + bad;
    }

    /**
     * Tries the fence.
     *
     * @throws OutOfMemoryError if there is no thread to try with, or not to the end
     */
    void run(Limits limits) {
        passing.start();
        long start = System.nanoTime();
        try {
            while (bad == 0 && rounds < limits.rounds()) {
                rounds++;
                tryOnce(rounds);
                if (System.nanoTime() - start >= limits.nanos()) {
                    break;
                }
            }
        } finally {
            turn = STOP;
        }
    }

    private void tryOnce(int round) {
        turn = round;
        for (int i = round % DELAYS; i > 0; i--) {
            Thread.onSpinWait();
        }
        DATA.setOpaque(data, APART, round);
        fence.run();
        boolean seen = isInside();
        awaitReport(round);
        if (read != round && !seen) {
            bad++;
        }
        turn = -round;
        awaitReport(-round);
        if (isInside()) { // which also brings the slot here
            throw new AssertionError("the trial's visitor has left: round=" + round);
        }
    }

    private boolean isInside() {
        return Visit.isInside(Slots.visitAcquire(words));
    }

    private void awaitReport(int round) {
        for (int spins = 1; reported != round; spins++) {
            if (spins % SPINS == 0 && !passing.isAlive() && reported != round) {
                throw new OutOfMemoryError("the passing thread of a trial has died");
            }
            pause(spins);
        }
    }

    /** What the passing thread does. */
    private void pass() {
        Door never = new Door(new CounterProtocol(new Stripes(1), new Drain(), () -> {}));
        SlotVisitor visitor =
                new SlotVisitor(
                        Thread.currentThread(), never, new Visitor.Place(slot, words), new Drain());
        int round = awaitTurnAfter(0);
        while (round != STOP) {
            if (round < 0) {
                visitor.leaveUnchecked();
            } else if (visitor.tryEnterUnchecked()) {
                read = readData();
            }
            reported = round;
            round = awaitTurnAfter(round);
        }
    }

    private int awaitTurnAfter(int round) {
        int now = turn;
        for (int spins = 1; now == round; spins++) {
            if (readData() < 0) {
                throw new AssertionError("data are rounds");
            }
            pause(spins);
            now = turn;
        }
        return now;
    }

    private long readData() {
        return (long) DATA.getOpaque(data, APART);
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
