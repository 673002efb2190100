package io.polder.background;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;

/** A logger that remembers warnings, and can be made to fail. */
class LogRecorder implements System.Logger {
    record Entry(Level level, String message, @Nullable Throwable thrown) {}

    private final List<Entry> entries = new CopyOnWriteArrayList<>();
    private volatile boolean failing;

    List<Entry> entries() {
        return entries;
    }

    void failFromNowOn() {
        failing = true;
    }

    /** What a logger does that is somebody else's. */
    void entered() {}

    @Override
    public String getName() {
        return "recorder";
    }

    @Override
    public boolean isLoggable(Level level) {
        return true;
    }

    @Override
    public void log(
            Level level,
            @Nullable ResourceBundle bundle,
            String message,
            @Nullable Throwable thrown) {
        entries.add(new Entry(level, message, thrown));
        entered();
        if (failing) {
            throw new OutOfMemoryError("a test");
        }
    }

    @Override
    public void log(
            Level level,
            @Nullable ResourceBundle bundle,
            String format,
            @Nullable Object... parameters) {
        log(level, bundle, format, (Throwable) null);
    }
}
