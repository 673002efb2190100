package io.polder.gate;

import io.polder.Await;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A thread that does what it is told, one thing after the other, until it is told to end. */
public final class ScriptedThread implements AutoCloseable {
    private static final long PAUSE_MILLIS = 1;

    /** Far longer than anything takes that works. */
    private static final long TIMEOUT_SECONDS = 200;

    private final LinkedBlockingQueue<FutureTask<?>> tasks = new LinkedBlockingQueue<>();
    private final Thread thread;

    private ScriptedThread(Thread.Builder builder) {
        thread = builder.start(this::run);
    }

    public static ScriptedThread platform() {
        return new ScriptedThread(Thread.ofPlatform().daemon().name("guest"));
    }

    public static ScriptedThread virtual() {
        return new ScriptedThread(Thread.ofVirtual().name("virtual guest"));
    }

    private void run() {
        FutureTask<?> task = take();
        while (!task.isCancelled()) {
            task.run();
            task = take();
        }
    }

    private FutureTask<?> take() {
        while (true) {
            try {
                return tasks.take();
            } catch (InterruptedException meantForTheTask) {
                // Ended already.
            }
        }
    }

    public Thread thread() {
        return thread;
    }

    /** Lets it do something and waits for the result. */
    public <T extends @Nullable Object> T call(Callable<T> action) {
        return get(begin(action));
    }

    /** Lets it do something and waits until it is. */
    public void run(Runnable action) {
        call(
                () -> {
                    action.run();
                    return true;
                });
    }

    /** Lets it do something, sooner or later. */
    public <T extends @Nullable Object> FutureTask<T> begin(Callable<T> action) {
        FutureTask<T> task = new FutureTask<>(action);
        tasks.add(task);
        return task;
    }

    /**
     * Lets it do something that blocks, and returns when the thread is seen to wait. The result is
     * whether it was interrupted in the end.
     */
    public FutureTask<Boolean> beginBlocking(Runnable action) {
        AtomicBoolean begun = new AtomicBoolean();
        FutureTask<Boolean> task =
                begin(
                        () -> {
                            begun.set(true);
                            action.run();
                            return Thread.currentThread().isInterrupted();
                        });
        while (!begun.get() || !waits()) {
            if (task.isDone()) {
                throw new AssertionError("must have blocked: result=" + get(task));
            }
            pause();
        }
        return task;
    }

    private boolean waits() {
        return switch (thread.getState()) {
            case WAITING, TIMED_WAITING, BLOCKED -> !loadsClasses();
            default -> false;
        };
    }

    /** Whether it waits for others who load the same classes, on its way to where it blocks. */
    private boolean loadsClasses() {
        return Arrays.stream(thread.getStackTrace()).anyMatch(ScriptedThread::loadsClasses);
    }

    private static boolean loadsClasses(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.startsWith("java.lang.ClassLoader")
                || name.startsWith("jdk.internal.loader.")
                || name.startsWith("java.lang.invoke.MethodHandleNatives")
                || frame.getMethodName().equals("<clinit>");
    }

    /** What became of something; fails if that takes too long to be true. */
    public static <T extends @Nullable Object> T get(FutureTask<T> task) {
        try {
            return task.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("a scripted thread failed", e.getCause());
        } catch (Exception e) {
            throw new AssertionError("a scripted thread takes too long", e);
        }
    }

    /** Waits a little. */
    public static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            throw new AssertionError("nobody interrupts tests", e);
        }
    }

    /** Lets the thread end, and waits until it has. */
    @Override
    public void close() {
        FutureTask<Boolean> last = new FutureTask<>(() -> true);
        last.cancel(false);
        tasks.add(last);
        Await.end(thread);
    }
}
