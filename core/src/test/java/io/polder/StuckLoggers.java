package io.polder;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ResourceBundle;
import java.util.concurrent.CountDownLatch;

/** Makes the library's logger one that never returns. The JVM finds it as a service. */
public final class StuckLoggers extends System.LoggerFinder {
    /** Says in a directory that this is the service; returns that, for a class path. */
    static String on(Path directory) throws IOException {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Files.writeString(
                services.resolve("java.lang.System$LoggerFinder"), StuckLoggers.class.getName());
        return directory.toString();
    }

    /** Made by the JVM. */
    public StuckLoggers() {}

    @Override
    public System.Logger getLogger(String name, Module module) {
        return new Stuck(name);
    }

    private record Stuck(String name) implements System.Logger {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public boolean isLoggable(Level level) {
            return name.startsWith("io.polder");
        }

        @Override
        public void log(
                Level level,
                @Nullable ResourceBundle bundle,
                @Nullable String message,
                @Nullable Throwable thrown) {
            await();
        }

        @Override
        public void log(
                Level level,
                @Nullable ResourceBundle bundle,
                @Nullable String format,
                @Nullable Object... parameters) {
            await();
        }

        private void await() {
            if (!isLoggable(Level.WARNING)) {
                return;
            }
            System.err.println("the logger waits");
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException interrupted) {
                throw new AssertionError("nobody interrupts tests", interrupted);
            }
        }
    }
}
