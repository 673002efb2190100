package io.polder.tools.attach;

import io.polder.tools.attach.AttachException.Problem;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * How long another JVM may take to answer. One that is stopped, or too busy, would otherwise be
 * waited for without end.
 *
 * <pre>{@code
 *   begin --> ask --answer--> ask --answer--> ...
 *              |               |
 *              +--- SECONDS ---+--> AttachException, SILENT, and why, as far as the kernel tells
 *              +--- it ended --+--> AttachException, GONE
 * }</pre>
 *
 * <p>Each question is asked in a thread of its own, a daemon: one that gets no answer is left
 * behind, and does not keep this JVM from ending. Confined to one thread.
 */
public final class Patience {
    /** How often this looks whether the other has ended. Guessed. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** How long an answer may be on its way whose sender has ended. Guessed. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long pid;
    private final int seconds;
    private long deadlineNanos;

    /**
     * Begins to wait.
     *
     * @param pid who is asked
     * @param seconds how long it may take to answer
     */
    public Patience(long pid, int seconds) {
        this.pid = pid;
        this.seconds = seconds;
        begin();
    }

    /** Begins to wait anew. */
    public void begin() {
        deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    /** Who is asked. */
    public long pid() {
        return pid;
    }

    /** How long it may take to answer. */
    public int seconds() {
        return seconds;
    }

    /**
     * Asks.
     *
     * @return the answer
     * @throws AttachException if there is none in time
     * @throws Exception what the question throws
     */
    public <T> T ask(Callable<T> question) throws Exception {
        FutureTask<T> answer = new FutureTask<>(question);
        Thread.ofPlatform().daemon().name("polder-question").start(answer);
        try {
            T result = await(answer);
            begin();
            return result;
        } catch (TimeoutException late) {
            throw JvmProcess.gone(pid) ? JvmProcess.ended(pid, late) : silent();
        } catch (ExecutionException failed) {
            switch (failed.getCause()) {
                case Exception exception -> throw exception;
                case Error error -> throw error;
                case null, default -> throw failed;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AttachException(Problem.GONE, "interrupted", e);
        }
    }

    /** The answer; a process that has ended gives no more than those that are on their way. */
    private <T> T await(FutureTask<T> answer)
            throws InterruptedException, ExecutionException, TimeoutException {
        while (!JvmProcess.gone(pid)) {
            long left = deadlineNanos - System.nanoTime();
            try {
                return answer.get(Math.min(left, LOOK_NANOS), TimeUnit.NANOSECONDS);
            } catch (TimeoutException late) {
                if (left <= LOOK_NANOS) {
                    throw late;
                }
            }
        }
        return answer.get(REST_NANOS, TimeUnit.NANOSECONDS);
    }

    /**
     * Asks of something what only reads and writes can go wrong with.
     *
     * @throws AttachException if there is no answer in time, or the question throws it
     * @throws IOException if the question throws it
     */
    public <T> T askOver(Callable<T> question) throws AttachException, IOException {
        try {
            return ask(question);
        } catch (AttachException | IOException | RuntimeException expected) {
            throw expected;
        } catch (Exception other) {
            throw new IllegalStateException(other);
        }
    }

    /** Says that there was no answer. */
    AttachException silent() {
        String why =
                JvmProcess.isStopped(pid)
                        ? stopped(pid)
                        : "process " + pid + " does not answer; it may be too busy, or suspended";
        return new AttachException(
                Problem.SILENT, why + ". Waited " + seconds + " s, see --timeout");
    }

    /** Says that a process is stopped. */
    static String stopped(long pid) {
        return "process "
                + pid
                + " is stopped, as by kill -STOP or a debugger, and answers nobody; kill -CONT "
                + pid
                + " lets it go on";
    }
}
