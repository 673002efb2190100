package io.polder;

import io.polder.background.Background;
import io.polder.background.LibraryThread;
import io.polder.heap.space.HeapThreads;

import java.lang.System.Logger.Level;
import java.util.List;

/**
 * The background threads of pools; there is none until a pool needs it.
 *
 * <table>
 * <caption>Kinds of threads, so that code of the program holds up nothing but its own</caption>
 * <tr><th>thread</th><th>how many</th><th>runs</th></tr>
 * <tr><td>polder-background</td><td>one</td><td>what all pools do with memory, and looking whether
 *     the system is short; no code of the program</td></tr>
 * <tr><td>polder-telling</td><td>one</td><td>loggers, the MBean server; starts of others again that
 *     have failed</td></tr>
 * <tr><td>polder-heap</td><td>one, and one for each heap that readers hold up</td><td>compaction of
 *     all heaps</td></tr>
 * <tr><td>polder-heap-room</td><td>one, and one for each full heap that takes long</td><td>
 *     compaction of full heaps</td></tr>
 * <tr><td>polder-asking</td><td>one for each pool with shrinkers</td><td>shrinkers of the program,
 *     for threads in the queue and where the system is short</td></tr>
 * <tr><td>polder-closing</td><td>one for each pool</td><td>the real close of its deferred arenas,
 *     and so cleanup actions of the program</td></tr>
 * </table>
 */
final class PoolBackground {
    /** For what is told to others: a logger or an MBean server may take its time. */
    static final Background TELLING = new Background("polder-telling");

    /** For what pools do with memory. */
    static final Background INSTANCE = new Background("polder-background", TELLING);

    /** Guessed: longer than loggers take to begin on a busy machine. */
    private static final long PATIENCE_MILLIS = 5_000;

    /** For heaps; a class of its own, since few programs have any. */
    static final class OfHeaps {
        static final HeapThreads THREADS = HeapThreads.shared(TELLING);

        private OfHeaps() {}
    }

    private PoolBackground() {}

    /** One for the deferred arenas of one pool. */
    static Background closing() {
        return new Background("polder-closing", TELLING);
    }

    /**
     * Logs complaints in a thread that is there for that, and keeps the JVM from ending until
     * that is done, or for some seconds: to be called where a class is initialised, which a logger
     * may wait for, or where a stack is about to end.
     */
    static void complain(List<String> complaints) {
        if (complaints.isEmpty()) {
            return;
        }
        Complaining all = new Complaining(List.copyOf(complaints));
        try {
            LibraryThread.awaited("polder-complaints-end", all).start();
        } catch (Throwable noThread) {
            TELLING.execute(all::log); // when there is one
        }
    }

    /** Has them logged; ends with that, or before it: a logger may wait for ever. */
    private record Complaining(List<String> complaints) implements Runnable {
        @Override
        public void run() {
            try {
                LibraryThread.runFor("polder-complaints", this::log, PATIENCE_MILLIS);
            } catch (Throwable noThread) {
                TELLING.execute(this::log);
            }
        }

        private void log() {
            System.Logger logger = System.getLogger("io.polder");
            for (String complaint : complaints) {
                logger.log(Level.WARNING, complaint);
            }
        }
    }

    /**
     * Logs that no thread can be started, if that is so and was not logged, and tries again for
     * what waits for one. To be called with no lock held.
     */
    static void tell() {
        INSTANCE.tell();
        TELLING.tell();
    }
}
