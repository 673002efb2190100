package io.polder.memory;

import org.jspecify.annotations.Nullable;

import java.util.Objects;
import java.util.function.Supplier;

/**
 * Runs what must not be cut short by the end of a stack, because it could not be tried again.
 *
 * <p>A class whose static initialiser is cut short, by a {@link StackOverflowError} or anything
 * else, can never be used again in its JVM. That holds for the classes of the JDK too, and the
 * first use of its linker initialises two hundred of them. So the first use of memory runs here.
 *
 * <p>In place if there is stack enough, which is nearly always so. If not, on a thread that begins
 * with an empty stack, while the caller waits. If none can be started, not at all: the caller gets
 * the {@link StackOverflowError} that it was about to get anyway, and the next caller tries again.
 *
 * <p>The caller may hold locks, but none that the work takes: that includes the initialisation of
 * a class which the work uses.
 *
 * <p>Thread-safe: it has no state.
 */
public final class DeepStackRunner {
    /**
     * What the first use of the linker takes in machine code, twice: measured with {@code -Xcomp
     * -Xshare:off}, where most is compiled, and no class is in an archive.
     */
    private static final int BYTES = 64 << 10;

    /**
     * What it takes in the interpreter to wait for a thread, four times: measured. To start one
     * takes less, and what comes before that can be tried again.
     */
    private static final int AWAIT_BYTES = 2 << 10;

    /** What the thread gets. */
    private static final long THREAD_BYTES = 1 << 20;

    private DeepStackRunner() {}

    /**
     * Does work and returns its result.
     *
     * @throws StackOverflowError if there is too little stack, and no thread; nothing was done then
     */
    public static <T> T call(Supplier<T> work) {
        if (isAmple()) {
            return work.get();
        }
        StackBang.ensure(AWAIT_BYTES); // a caller is not to leave while the thread works
        Runner<T> runner = new Runner<>(work);
        try {
            runner.start();
        } catch (OutOfMemoryError noThread) {
            StackOverflowError tooDeep = new StackOverflowError("and no thread can be started");
            tooDeep.initCause(noThread);
            throw tooDeep;
        }
        await(runner);
        return runner.result();
    }

    /** Whether the running thread has stack enough for what cannot be tried again. */
    public static boolean isAmple() {
        return StackBang.hasLeft(BYTES);
    }

    private static void await(Thread runner) {
        boolean interrupted = false;
        while (runner.isAlive()) {
            try {
                runner.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class Runner<T> extends Thread {
        private final Supplier<T> work;

        // Visible to the thread that has joined.
        private @Nullable T result;
        private @Nullable Throwable failure;

        Runner(Supplier<T> work) {
            super(null, null, "polder-first-use", THREAD_BYTES, false);
            this.work = work;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                result = work.get();
            } catch (Throwable thrown) {
                failure = thrown;
            }
        }

        private T result() {
            if (failure instanceof Error error) {
                throw error;
            }
            if (failure instanceof RuntimeException exception) {
                throw exception;
            }
            return Objects.requireNonNull(result);
        }
    }
}
