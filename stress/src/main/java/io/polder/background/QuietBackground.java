package io.polder.background;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.util.ResourceBundle;

/**
 * A background that accepts tasks and does nothing: the test that made it has steps done in a
 * thread of their choice.
 */
public final class QuietBackground {
    private static final Background NOBODYS = create();

    private QuietBackground() {}

    /** Makes one; its threads end at once. */
    public static Background create() {
        return new Background(
                "test",
                _ -> Thread.ofVirtual().unstarted(() -> {}),
                Clock.SYSTEM,
                Long.MAX_VALUE,
                silence(),
                null);
    }

    /** A task of nobody, for a test that plays the background. */
    static Task task() {
        return new Task(NOBODYS, () -> false, 1);
    }

    /** A logger that nobody hears. */
    static System.Logger silence() {
        return new Silence();
    }

    /**
     * Does a step of a task in the running thread.
     *
     * @return whether there is more to do
     */
    public static boolean step(Task task) {
        return task.step.run();
    }

    private static final class Silence implements System.Logger {
        @Override
        public String getName() {
            return "silence";
        }

        @Override
        public boolean isLoggable(Level level) {
            return false;
        }

        @Override
        public void log(
                Level level,
                @Nullable ResourceBundle bundle,
                @Nullable String message,
                @Nullable Throwable thrown) {}

        @Override
        public void log(
                Level level,
                @Nullable ResourceBundle bundle,
                @Nullable String format,
                @Nullable Object @Nullable ... parameters) {}
    }
}
