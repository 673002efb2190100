package io.polder.gate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A litmus test of an asymmetric fence: store buffering, by the very code of {@link SlotReader}. A
 * reader writes its slot and reads data, a waiter writes the data and reads the slot, again and
 * again.
 *
 * <pre>{@code
 *   round     reader                             waiter
 *             enters and leaves alone            waits for READY
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
 * <p>Only rounds in which both threads run can be bad: those <i>met</i>, in which neither gave way
 * to others while it waited. On a busy machine they are few among many, so they are counted. <b>The
 * rendezvous</b>: whoever waits in vain for {@link #SPIN_NANOS} sleeps until the clock is a
 * multiple of {@link #TICK_NANOS}, as does the other one; the system prefers threads that have
 * slept, so both run when they wake, and meet. Giving way by yields would have each of them alone
 * in turn.
 *
 * <p>Nor can a round be bad whose reader is interpreted: a store has long arrived when the load
 * comes. So the reader's code is run alone first, often enough to be compiled.
 *
 * <p>The test ends after a number of rounds that met or a time, whichever comes first, and at the
 * first bad round. The reader is a daemon thread that ends with the test. If it cannot be started,
 * or dies, as it may where the Java heap is full, the test says nothing.
 */
final class FenceLitmusTest {
    /** The other thread needs as long to notice a round; in units of one spin. Guessed. */
    private static final int DELAYS = 64;

    /** Spins before the clock is looked at. Guessed. */
    private static final int SPINS = 64;

    /** So long the other one is waited for: longer than wake-ups are apart. Guessed. */
    private static final long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /** Much longer than that, so that little is spun on one processor. Guessed. */
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** After so many calls a method is compiled with all optimisations; more than HotSpot needs. */
    private static final int WARM_UP = 20_000;

    /** Instead of a round that is reported: the reader has warmed up. */
    private static final int READY = Integer.MAX_VALUE;

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
    private final Waiting waiting = new Waiting();
    private int rounds;
    private int met;
    private int bad;

    /** Apart from everything else: far from both ends. */
    private final long[] data = new long[2 * APART + 1];

    /** The round that the waiter has begun, or that it has done with, negated. */
    private volatile int turn;

    /** The round that the reader has reported, or left, negated. */
    private volatile int reported;

    /** What the reader read in that round; published by {@code reported}. */
    private long read;

    /** Whether it had not given way when the round began; likewise. */
    private boolean readerMet;

    /**
     * When to stop.
     *
     * @param met after so many rounds that met
     * @param nanos or after so long
     */
    record Limits(int met, long nanos) {}

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

    /** In how many of these both threads ran. */
    int met() {
        return met;
    }

    /** How many were bad; 1 at most. Known also if an error ended the test. */
    int bad() {
        return bad;
    }

    String describe() {
        return "tested " + met + " times, bad " + bad;
    }

    /**
     * Tests the fence.
     *
     * @throws OutOfMemoryError if there is no thread for the reader, or it died
     */
    void run(Limits limits) {
        readerThread.start();
        try {
            awaitReport(READY);
            long start = System.nanoTime();
            while (bad == 0 && met < limits.met()) {
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
        if (readerMet && !waiting.gaveWay) {
            met++;
        }
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
        waiting.begin();
        while (reported != round) {
            if (waiting.pause() && !readerThread.isAlive() && reported != round) {
                throw new OutOfMemoryError("the reader of a litmus test has died");
            }
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
        for (int i = 0; i < WARM_UP; i++) {
            enterAndRead(reader);
            reader.leaveUnchecked();
        }
        reported = READY;
        Waiting its = new Waiting();
        int round = awaitTurnAfter(0, its);
        while (round != STOP) {
            if (round < 0) {
                reader.leaveUnchecked();
            } else {
                enterAndRead(reader);
                readerMet = !its.gaveWay;
            }
            reported = round;
            round = awaitTurnAfter(round, its);
        }
    }

    private void enterAndRead(SlotReader reader) {
        if (reader.tryEnterUnchecked()) {
            read = readData();
        }
    }

    private int awaitTurnAfter(int round, Waiting its) {
        its.begin();
        int now = turn;
        while (now == round) {
            if (readData() < 0) {
                throw new AssertionError("data are rounds");
            }
            its.pause();
            now = turn;
        }
        return now;
    }

    private long readData() {
        return (long) DATA.getOpaque(data, APART);
    }

    /** How a thread waits for the other one. */
    private static final class Waiting {
        private int spins;
        private long since;

        /** Whether it has slept, this time. */
        boolean gaveWay;

        void begin() {
            spins = 0;
            gaveWay = false;
        }

        /** Waits a bit; returns whether it is time to look around. */
        boolean pause() {
            spins++;
            if (spins % SPINS != 0) {
                Thread.onSpinWait();
                return false;
            }
            long now = System.nanoTime();
            if (spins == SPINS) {
                since = now;
            } else if (now - since >= SPIN_NANOS) {
                spins = 0;
                gaveWay = true;
                LockSupport.parkNanos(TICK_NANOS - Math.floorMod(now, TICK_NANOS));
            }
            return true;
        }
    }
}
