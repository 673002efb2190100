package io.polder.gate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadFactory;

/**
 * A litmus test of an asymmetric fence: store buffering, by the very code of {@link SlotReader}. A
 * reader writes its slot and reads data, a waiter writes the data and reads the slot, again and
 * again.
 *
 * <pre>{@code
 *   round     reader                             waiter
 *     n       waits for n                        turn = n
 *             tryEnter                           data = n
 *             reads data                         fence
 *             reports n and what it read         looks at the slot
 *             waits for -n                       waits for the report; turn = -n
 *             leaves, reports -n                 waits for the report
 * }</pre>
 *
 * <p>A round is <i>bad</i> if the reader read the data of an earlier round, and the waiter saw no
 * reader inside. Without a fence some rounds in a thousand are bad, where two processors run the
 * two threads; on one processor none ever is, fence or not, and the asymmetric fence is as good as
 * any. Data and slot lie in different cache lines, and both threads have both lines when a round
 * begins: so the write of the slot takes long, and the read does not.
 *
 * <p>The test ends after a number of rounds or a time, whichever comes first, and at the first bad
 * round. The reader is a daemon thread that ends with the test. If it cannot be started, or dies,
 * as it may where the Java heap is full, the test says nothing.
 */
final class FenceLitmusTest {
    /** The other thread needs as long to notice a round; in units of one spin. Guessed. */
    private static final int DELAYS = 64;

    /** Spins before giving way, for machines with one processor. Guessed. */
    private static final int SPINS = 1000;

    /** Instead of a round: the test is over. */
    private static final int STOP = Integer.MIN_VALUE;

    /** Two cache lines. */
    private static final int APART = 16;

    private static final VarHandle DATA = MethodHandles.arrayElementVarHandle(long[].class);

    private final Slots slots = new Slots();
    private final GateFence fence;
    private final int slot;
    private final long[] words;
    private final Thread readerThread;
    private int rounds;
    private int bad;

    /** Apart from everything else: far from both ends. */
    private final long[] data = new long[2 * APART + 1];

    /** The round that the waiter has begun, or that it has done with, negated. */
    private volatile int turn;

    /** The round that the reader has reported, or left, negated. */
    private volatile int reported;

    /** What the reader read in that round; published by {@code reported}. */
    private long read;

    /** When to stop. */
    record Limits(int rounds, long nanos) {}

    /** A test that is to be run once. */
    FenceLitmusTest(GateFence fence) {
        this(fence, work -> QuietDaemon.of("polder-fence-test-reader", work));
    }

    /** A test whose reader is a thread of somebody else's making. */
    FenceLitmusTest(GateFence fence, ThreadFactory threads) {
        this.fence = fence;
        this.slot = slots.append(fence.signals());
        this.words = slots.get(slot);
        this.readerThread = threads.newThread(this::read);
    }

    /** How many rounds there were. */
    int rounds() {
        return rounds;
    }

    /** How many of these were bad; 1 at most. Known also if an error ended the test. */
    int bad() {
        return bad;
    }

    String describe() {
        return "tested " + rounds + " times, bad " + bad;
    }

    /**
     * Tests the fence.
     *
     * @throws OutOfMemoryError if there is no thread for the reader, or it died
     */
    void run(Limits limits) {
        readerThread.start();
        long start = System.nanoTime();
        try {
            while (bad == 0 && rounds < limits.rounds()) {
                rounds++;
                round(rounds);
                if (System.nanoTime() - start >= limits.nanos()) {
                    break;
                }
            }
        } finally {
            turn = STOP;
        }
    }

    private void round(int round) {
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
            throw new AssertionError("the reader has left: round=" + round);
        }
    }

    private boolean isInside() {
        return CriticalSection.isInside(Slots.sectionAcquire(words));
    }

    private void awaitReport(int round) {
        for (int spins = 1; reported != round; spins++) {
            if (spins % SPINS == 0 && !readerThread.isAlive() && reported != round) {
                throw new OutOfMemoryError("the reader of a litmus test has died");
            }
            pause(spins);
        }
    }

    /** What the reader does. */
    private void read() {
        ClosedState never =
                new ClosedState(new CounterProtocol(new Stripes(1), new ReaderWait(), () -> {}));
        SlotReader reader =
                new SlotReader(
                        Thread.currentThread(),
                        never,
                        new Reader.Place(slot, words),
                        new ReaderWait());
        int round = awaitTurnAfter(0);
        while (round != STOP) {
            if (round < 0) {
                reader.leaveUnchecked();
            } else if (reader.tryEnterUnchecked()) {
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
