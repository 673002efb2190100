package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A file that is written beside its place, and takes it when it is whole. What is no regular file
 * stays as it is: who follows a symbolic link to the place finds the new file there, and a device
 * is refused.
 *
 * <pre>{@code
 *   .polder-cache-PID-START-DIGITS.tmp   being written, and locked; or left by a process that died
 *   NAME                                 whole
 * }</pre>
 *
 * <p>The system takes the lock from a process that dies. So a file that is not locked was left, and
 * the next one that is written to the same folder removes it. Where files cannot be locked, it
 * stays. A process does not open those of its own, which its name says: on POSIX systems it would
 * lose its lock when it closes them again. Names do not tell who is alive, since processes of
 * several containers may share a folder.
 *
 * <p>A file is moved with its lock held. In other file systems than the default one, such as a zip
 * file, content may be written when the channel is closed; so that is first there.
 *
 * <p>For one thread.
 */
final class NewFile implements Closeable {
    /** As many as Linux follows. */
    private static final int LINKS_MAX = 40;

    private static final String MARK = ".polder-cache-";
    private static final String SUFFIX = ".tmp";

    private static final Pattern NAMES =
            Pattern.compile(Pattern.quote(MARK) + "\\d+-\\d+-\\d+" + Pattern.quote(SUFFIX));

    private static final String OWN = MARK + pidAndStart(ProcessHandle.current()) + "-";

    private final Path place;
    private final Path temporary;
    private final FileChannel channel;
    private boolean isComplete;

    private NewFile(Path place, Path temporary, FileChannel channel) {
        this.place = place;
        this.temporary = temporary;
        this.channel = channel;
    }

    static NewFile at(Path path) throws IOException {
        Path place = target(path);
        if (Files.exists(place) && !Files.isRegularFile(place)) {
            throw new FileSystemException(
                    path.toString(),
                    null,
                    "a cache is written to a regular file, and this is a folder, a device or a"
                            + " pipe");
        }
        Path folder = Objects.requireNonNull(place.toAbsolutePath().getParent(), "folder");
        if (!Files.isDirectory(folder)) {
            throw new NoSuchFileException(
                    path.toString(), null, "the folder of a file must be there: folder=" + folder);
        }
        removeLeft(folder);
        while (true) {
            Path temporary = Files.createTempFile(folder, OWN, SUFFIX);
            FileChannel channel = null;
            try {
                channel = openLocked(temporary);
            } finally {
                if (channel == null) {
                    boolean _ = Files.deleteIfExists(temporary);
                }
            }
            if (channel != null) {
                return new NewFile(place, temporary, channel);
            }
        }
    }

    /** Where symbolic links lead, which stay: to a file, or where one is to be. */
    private static Path target(Path path) throws IOException {
        Path place = path;
        for (int links = 0; Files.isSymbolicLink(place); links++) {
            if (links == LINKS_MAX) {
                throw new FileSystemLoopException(path.toString());
            }
            place = place.resolveSibling(Files.readSymbolicLink(place));
        }
        return place;
    }

    private static String pidAndStart(ProcessHandle process) {
        long start = process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
        return process.pid() + "-" + start;
    }

    /** Opens a new file; null if another process took it for one that was left, before the lock. */
    private static @Nullable FileChannel openLocked(Path temporary) throws IOException {
        FileChannel channel;
        try {
            channel = FileChannel.open(temporary, StandardOpenOption.WRITE);
        } catch (NoSuchFileException missing) {
            if (Files.exists(temporary)) {
                throw missing; // it is another one, such as the folder of a zip file
            }
            return null;
        }
        boolean isLocked;
        try {
            isLocked = channel.tryLock() != null;
        } catch (IOException | OverlappingFileLockException | UnsupportedOperationException _) {
            isLocked = true; // nobody can lock it, and so nobody removes it
        }
        if (isLocked && Files.exists(temporary)) {
            return channel;
        }
        channel.close();
        return null;
    }

    /** Removes what processes have left that were killed while they wrote. */
    private static void removeLeft(Path folder) {
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder, NewFile::isOfOthers)) {
            left.forEach(NewFile::removeUnlessLocked);
        } catch (IOException | DirectoryIteratorException _) {
            // Who may not look into the folder may still write there.
        }
    }

    private static boolean isOfOthers(Path path) {
        String name = String.valueOf(path.getFileName());
        return NAMES.matcher(name).matches()
                && !name.startsWith(OWN)
                && Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static void removeUnlessLocked(Path left) {
        try (FileChannel channel = FileChannel.open(left, StandardOpenOption.WRITE)) {
            if (channel.tryLock() != null) {
                boolean _ = Files.deleteIfExists(left);
            }
        } catch (IOException | OverlappingFileLockException | UnsupportedOperationException _) {
            // It is gone, or somebody else's. It harms nobody.
        }
    }

    /** Where to write; closing this does it. */
    OutputStream content() {
        return Channels.newOutputStream(channel);
    }

    /** Brings the file to its place, in one step where the file system can do that. */
    void complete() throws IOException {
        channel.force(true);
        if (!temporary.getFileSystem().equals(FileSystems.getDefault())) {
            channel.close();
        }
        try {
            Files.move(
                    temporary,
                    place,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException _) {
            Files.move(temporary, place, StandardCopyOption.REPLACE_EXISTING);
        }
        isComplete = true;
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            if (!isComplete) {
                boolean _ = Files.deleteIfExists(temporary);
            }
        }
    }
}
