package io.polder;

import io.polder.background.Background;

import java.lang.System.Logger.Level;
import java.util.List;

/**
 * The background threads of pools; there is none until a pool needs it.
 *
 * <table>
 * <caption>Three kinds, so that code of the program holds up nothing but its own</caption>
 * <tr><th>thread</th><th>how many</th><th>runs</th></tr>
 * <tr><td>polder-background</td><td>one</td><td>what all pools do with memory; no code of the
 *     program</td></tr>
 * <tr><td>polder-telling</td><td>one</td><td>loggers, the MBean server</td></tr>
 * <tr><td>polder-closing</td><td>one for each pool</td><td>the real close of its deferred arenas,
 *     and so cleanup actions of the program</td></tr>
 * </table>
 */
final class PoolBackground {
    /** For what is told to others: a logger or an MBean server may take its time. */
    static final Background TELLING = Background.telling("polder-telling");

    /** For what pools do with memory. */
    static final Background INSTANCE = new Background("polder-background", TELLING);

    private PoolBackground() {}

    /** One for the deferred arenas of one pool. */
    static Background closing() {
        return new Background("polder-closing", TELLING);
    }

    /**
     * Has complaints logged by a thread that is there for that, and keeps the JVM from ending
     * before it is done: to be called where a class is initialised, which a logger may wait for.
     */
    static void complain(List<String> complaints) {
        if (complaints.isEmpty()) {
            return;
        }
        Complaining all = new Complaining(List.copyOf(complaints));
        try {
            Thread thread =
                    Thread.ofPlatform()
                            .name("polder-complaints")
                            .daemon(false)
                            .inheritInheritableThreadLocals(false)
                            .unstarted(all);
            thread.setContextClassLoader(null);
            thread.start();
        } catch (Throwable noThread) {
            TELLING.execute(all); // when there is one
        }
    }

    /** No lambda: a program that starts would wait for it. */
    private record Complaining(List<String> complaints) implements Runnable {
        @Override
        public void run() {
            System.Logger logger = System.getLogger("io.polder");
            for (String complaint : complaints) {
                logger.log(Level.WARNING, complaint);
            }
        }
    }

    /**
     * Logs that no thread can be started, if that is so and was not logged. To be called with no
     * lock held.
     */
    static void tell() {
        INSTANCE.tell();
        TELLING.tell();
    }
}
