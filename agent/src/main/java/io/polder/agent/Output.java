package io.polder.agent;

import org.jspecify.annotations.Nullable;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/**
 * Where the agent writes: standard error, or a file. Standard output, which is the program's, only
 * where that is the name of the file.
 *
 * <pre>
 *   nothing there, or a file    --written beside it, then renamed: there whole or not at all
 *   a device, a pipe, a link    --written to where it leads; it stays what it is
 *   /dev/stdout, /dev/stderr    --written to that stream of this process
 * </pre>
 *
 * @param file its name; empty for standard error. {@code %p} stands for the process id
 */
record Output(String file) {
    /** Standard error. */
    static final Output STDERR = new Output("");

    /** How long who writes to a pipe waits for who reads it. Guessed: both are started at once. */
    private static final long READER_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final String PREFIX = "polder-agent: ";

    /** Where others may hold the same stream open. */
    private static final Path DEVICES = Path.of("/dev");

    /** The streams of this process, by name. */
    private static final Path OUT = Path.of("/dev/stdout");

    private static final Path ERR = Path.of("/dev/stderr");

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /** Writes a line to standard error, whatever the program made of {@link System#err}. */
    static void say(String line) {
        toStandardError(line(line));
    }

    /** What a line of the agent's is in full. */
    static String line(String text) {
        return PREFIX + text + System.lineSeparator();
    }

    private static void toStandardError(String text) {
        try {
            writeTo(FileDescriptor.err, text);
        } catch (IOException e) {
            // Nobody listens.
        }
    }

    private static void writeTo(FileDescriptor stream, String text) throws IOException {
        // Not closed: the descriptor belongs to the process.
        new FileOutputStream(stream).write(text.getBytes(StandardCharsets.UTF_8));
    }

    boolean isStandardError() {
        return file.isEmpty();
    }

    /**
     * The file, for this process.
     *
     * @throws java.nio.file.InvalidPathException if no file can have this name
     */
    Path path() {
        return Path.of(file.replace("%p", Long.toString(ProcessHandle.current().pid())))
                .toAbsolutePath();
    }

    /** Whether it can be written, as far as can be seen before that. */
    boolean isWritable() {
        if (isStandardError()) {
            return true;
        }
        Path path = path();
        if (stream(path) != null) {
            return true;
        }
        if (Files.isDirectory(path) || !hasPlace()) {
            return false;
        }
        return Files.isWritable(isReplaced(path) ? path.resolveSibling("") : path);
    }

    /**
     * Whether there is a directory for the file, no matter who may write there; true without a
     * file.
     */
    boolean hasPlace() {
        if (isStandardError()) {
            return true;
        }
        Path directory = path().getParent();
        return directory != null && Files.isDirectory(directory);
    }

    /**
     * The stream of this process that has a name; null if none has. It is not opened anew: a socket
     * cannot be, and in a file who has this stream would write over what was written by another.
     */
    private static @Nullable FileDescriptor stream(Path path) {
        if (path.equals(OUT)) {
            return FileDescriptor.out;
        }
        return path.equals(ERR) ? FileDescriptor.err : null;
    }

    /** Whether what is written last is all that is there then. */
    boolean takesPlace() {
        if (isStandardError()) {
            return false;
        }
        Path path = path();
        return stream(path) == null
                && (isReplaced(path) || (!path.startsWith(DEVICES) && Files.isRegularFile(path)));
    }

    /** Whether a file is to take the place of whatever has this name. */
    private static boolean isReplaced(Path path) {
        return Files.notExists(path, LinkOption.NOFOLLOW_LINKS)
                || Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** Writes the whole text. Says it if it fails. */
    void write(String text) {
        String failure = tryWrite(text);
        if (failure != null) {
            say(failure);
        }
    }

    /** Writes the whole text; returns what there is to be said if it fails. */
    @Nullable String tryWrite(String text) {
        return tryWrite(text, READER_NANOS);
    }

    /** The same, with another patience for who reads a pipe. */
    @Nullable String tryWrite(String text, long readerNanos) {
        if (isStandardError()) {
            toStandardError(text);
            return null;
        }
        Path path = path();
        try {
            FileDescriptor stream = stream(path);
            if (stream != null) {
                writeTo(stream, text);
            } else if (isReplaced(path)) {
                replace(path, text);
            } else {
                writeThere(path, text, readerNanos);
            }
            return null;
        } catch (IOException e) {
            return path + " cannot be written: " + e;
        }
    }

    /**
     * To a device, a pipe, or what a link leads to. A pipe cannot be opened before somebody reads
     * it. So another thread does it, for which the end of the JVM does not wait; it goes on, should
     * somebody come later.
     */
    private static void writeThere(Path path, String text, long readerNanos) throws IOException {
        OpenOption rest =
                path.startsWith(DEVICES)
                        ? StandardOpenOption.APPEND
                        : StandardOpenOption.TRUNCATE_EXISTING;
        CountDownLatch opened = new CountDownLatch(1);
        FutureTask<@Nullable Void> written =
                new FutureTask<>(
                        () -> {
                            try (OutputStream to =
                                    Files.newOutputStream(path, StandardOpenOption.WRITE, rest)) {
                                opened.countDown();
                                to.write(text.getBytes(StandardCharsets.UTF_8));
                            } finally {
                                opened.countDown();
                            }
                            return null;
                        });
        if (isPipe(path)) {
            start(written);
        } else {
            written.run();
        }
        long end = System.nanoTime() + readerNanos;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    if (!opened.await(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                        throw new IOException("nobody reads it");
                    }
                    Void _ = written.get();
                    return;
                } catch (InterruptedException e) {
                    interrupted = true; // what is written is written
                }
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failed
                    ? failed
                    : new IOException(e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void start(Runnable task) throws IOException {
        try {
            Thread _ = Thread.ofPlatform().daemon().name("polder-agent-pipe").start(task);
        } catch (OutOfMemoryError none) {
            throw new IOException("there is no thread to open it in", none);
        }
    }

    /** Whether it is a pipe, or a device. */
    private static boolean isPipe(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).isOther();
    }

    /** By way of a file that nobody else writes, be it of this name. */
    private static void replace(Path path, String text) throws IOException {
        String own = ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime());
        // Without the name of the file, which may be as long as a name can be.
        Path part = path.resolveSibling("polder-agent." + own + ".part");
        PosixFileAttributes old = attributes(path);
        if (old == null) {
            Files.createFile(part);
        } else {
            Files.createFile(part, OWNER_ALONE);
        }
        try {
            Files.writeString(part, text);
            if (old != null) {
                keepReaders(old, part);
            }
            // Atomic: else the old file is deleted first, and gone if the rest fails.
            Files.move(part, path, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Of a file; null if there is none, or the file system has no such attributes. */
    private static @Nullable PosixFileAttributes attributes(Path path) {
        try {
            var view = Files.getFileAttributeView(path, PosixFileAttributeView.class);
            return view == null ? null : view.readAttributes();
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Who may read a file may read the one that takes its place, and no group else; where root
     * writes, it stays its owner's. Until then only the writer may read it.
     */
    private static void keepReaders(PosixFileAttributes old, Path part) {
        var own = Files.getFileAttributeView(part, PosixFileAttributeView.class);
        Set<PosixFilePermission> kept = old.permissions();
        try {
            try {
                own.setOwner(old.owner());
            } catch (IOException notRoot) {
                // It is the writer's now.
            }
            try {
                own.setGroup(old.group());
            } catch (IOException notAMember) {
                kept.removeAll(PosixFilePermissions.fromString("---rwx---"));
            }
            own.setPermissions(kept);
        } catch (IOException e) {
            // The file system has permissions of its own.
        }
    }
}
