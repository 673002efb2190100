package io.polder;

import io.polder.arena.SlabSettings;
import io.polder.background.LibraryThread;
import io.polder.event.Events;
import io.polder.memory.NativeAccess;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The first arenas of a process, which have their memory from the JDK: a program that opens few
 * does without a pool, and without the system calls that are linked for one. That takes as long as
 * some hundred thousand arenas of the JDK's.
 *
 * <pre>{@code
 *   arenas opened so far   0 ............ PREPARE_AT ............ COUNT_MAX .......
 *   memory                 the JDK's      the JDK's               the pool's
 *   the common pool        there is none  made by a thread        there
 *                                         that is there for that
 * }</pre>
 *
 * <p>The pool is made a second after the second arena at the latest: programs that go on are looked
 * at from outside. The first arenas end as soon as it is there, and so when somebody asks for it.
 *
 * <p>There are none where something is set about arenas, so that it holds for the first one, too;
 * none where native access is denied, so that this is told when the first one is opened; and none
 * where something is recorded, so that a recording has all.
 *
 * <p><b>Statistics.</b> What they have while they are open is counted by the common pool as
 * reserved, committed and used; what forgotten ones have stays counted, since it stays allocated.
 *
 * <p><b>Failure.</b> An error takes a number from those that are left, and nothing else. Where no
 * thread can be started, who comes after the last of these arenas makes the pool.
 *
 * <p>Thread-safe, without a lock.
 */
final class BootstrapArenas {
    /** Guessed: a program that opens as many opens more. */
    static final int COUNT_MAX = 64;

    /** From this one on the pool is made: in a program that takes its time, nobody waits for it. */
    static final int PREPARE_AT = COUNT_MAX / 2;

    /** As long as a pool waits until it tells others of itself. */
    private static final long DELAY_NANOS = 1_000_000_000;

    private final AtomicLong bytes = new AtomicLong();
    private final AtomicInteger count;

    /** The thread that makes the pool; null if it was not needed yet. */
    private volatile @Nullable Thread preparing;

    /** So many were opened already; with {@link #COUNT_MAX}, there are none. */
    BootstrapArenas(int count) {
        this.count = new AtomicInteger(count);
    }

    /**
     * Begins, or finds that there are to be none; to be called with ample stack, since the JDK
     * initialises what arenas need of it.
     *
     * @param wanted whether there is no pool yet, nor about to be
     */
    static BootstrapArenas begin(boolean wanted) {
        if (!wanted || !areWanted()) {
            return new BootstrapArenas(COUNT_MAX);
        }
        try (Arena arena = Arena.ofConfined()) {
            arena.allocate(1);
        }
        return new BootstrapArenas(0);
    }

    private static boolean areWanted() {
        return System.getProperty(SlabSettings.SIZE_PROPERTY) == null
                && System.getProperty(SlabSettings.COUNT_PROPERTY) == null
                && System.getProperty(LeakDetection.PROPERTY) == null
                && System.getProperty(PoolSettings.CLEAR_PROPERTY) == null
                && NativeAccess.isAllowed()
                && !Events.inUse();
    }

    /** Opens an arena of the running thread; null if it is to be opened on the pool. */
    @Nullable Arena openConfined() {
        if (next() >= COUNT_MAX) {
            return null;
        }
        Arena jdk = Arena.ofConfined();
        jdk.allocate(1); // then it runs its actions as those of the pool do
        return new BootstrapArena(jdk, bytes);
    }

    /** Opens an arena of all threads; null if it is to be opened on the pool. */
    @Nullable Arena openShared() {
        return next() >= COUNT_MAX ? null : new BootstrapArena(Arena.ofShared(), bytes);
    }

    private int next() {
        int number = count.get() < COUNT_MAX ? count.getAndIncrement() : COUNT_MAX;
        if (number == 1) { // not for the very first: a thread's start waits for a processor
            startPreparing();
        } else if (number == PREPARE_AT) {
            LockSupport.unpark(preparing);
        }
        return number;
    }

    /** There is a pool. */
    void end() {
        count.set(COUNT_MAX);
        LockSupport.unpark(preparing);
    }

    private void startPreparing() {
        try {
            Thread thread = LibraryThread.daemon("polder-first-use", new Preparing());
            preparing = thread;
            thread.start();
        } catch (Throwable noThread) {
            // Then who needs the pool makes it
        }
    }

    /** Makes the pool when it is time, and sees to it that its first arena need not wait. */
    private final class Preparing implements Runnable {
        @Override
        public void run() {
            try {
                if (count.get() <= PREPARE_AT) { // who wakes this may have come before it began
                    LockSupport.parkNanos(DELAY_NANOS); // if for less, the pool is there sooner
                }
                CommonPool.get().memory.prepare();
            } catch (Throwable cutOff) {
                // Then who needs it makes it
            }
        }
    }

    /** How much those have together that are open. */
    long bytes() {
        return bytes.get();
    }
}
