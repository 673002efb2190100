package io.polder.cache;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.regex.Pattern;

/**
 * A file that is written beside its place, and takes it when it is whole.
 *
 * <pre>{@code
 *   .NAME.polder-DIGITS.tmp   being written, and locked; or left by a process that was killed
 *   NAME                      whole
 * }</pre>
 *
 * <p>The system takes the lock from a process that dies. So a file that is not locked was left, and
 * the next one that is written to the same place removes it. Where files cannot be locked, it
 * stays.
 *
 * <p>For one thread.
 */
final class NewFile implements Closeable {
    private static final String MARK = ".polder-";
    private static final String SUFFIX = ".tmp";

    private final Path place;
    private final Path temporary;
    private final FileChannel channel;
    private boolean isComplete;

    private NewFile(Path place, Path temporary, FileChannel channel) {
        this.place = place;
        this.temporary = temporary;
        this.channel = channel;
    }

    static NewFile at(Path place) throws IOException {
        if (Files.isDirectory(place)) {
            throw new FileSystemException(
                    place.toString(), null, "a cache is written to a file, and this is a folder");
        }
        removeLeft(place);
        Path folder = place.toAbsolutePath().getParent();
        while (true) {
            Path temporary = Files.createTempFile(folder, "." + place.getFileName() + MARK, SUFFIX);
            FileChannel channel = FileChannel.open(temporary, StandardOpenOption.WRITE);
            FileLock _ = lock(channel);
            if (Files.exists(temporary)) {
                return new NewFile(place, temporary, channel);
            }
            channel.close(); // another process took it for one that was left, before the lock
        }
    }

    /** Removes what processes have left that were killed while they wrote this. */
    private static void removeLeft(Path place) {
        Pattern names =
                Pattern.compile(
                        Pattern.quote("." + place.getFileName() + MARK)
                                + "\\d+"
                                + Pattern.quote(SUFFIX));
        try (DirectoryStream<Path> left =
                Files.newDirectoryStream(
                        place.toAbsolutePath().getParent(),
                        each -> names.matcher(String.valueOf(each.getFileName())).matches())) {
            left.forEach(NewFile::removeUnlessLocked);
        } catch (IOException | DirectoryIteratorException _) {
            // Who may not look into the folder may still write there.
        }
    }

    private static void removeUnlessLocked(Path left) {
        try (FileChannel channel = FileChannel.open(left, StandardOpenOption.WRITE)) {
            if (lock(channel) != null) {
                boolean _ = Files.deleteIfExists(left);
            }
        } catch (IOException _) {
            // It is gone, or somebody else's. It harms nobody.
        }
    }

    /** Locks a file; null if another one has locked it, or that cannot be done here. */
    private static @Nullable FileLock lock(FileChannel channel) {
        try {
            return channel.tryLock();
        } catch (IOException | OverlappingFileLockException _) {
            return null;
        }
    }

    /** Where to write; closing this does it. */
    OutputStream content() {
        return Channels.newOutputStream(channel);
    }

    /** Brings the file to its place, in one step where the file system can do that. */
    void complete() throws IOException {
        channel.force(true);
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
        channel.close();
        if (!isComplete) {
            boolean _ = Files.deleteIfExists(temporary);
        }
    }
}
