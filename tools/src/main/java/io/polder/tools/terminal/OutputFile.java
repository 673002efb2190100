package io.polder.tools.terminal;

import org.jspecify.annotations.Nullable;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Files that commands write.
 *
 * <pre>{@code
 *   nothing there, or a file    written beside it, then renamed: there whole, or as it was
 *   a device, a pipe, a link    written to where it leads; it stays what it is
 *   /dev/stdout, /dev/stderr    written to that stream of this process
 * }</pre>
 */
public final class OutputFile {
    private static final Path DEVICES = Path.of("/dev");

    /** The streams of this process, by name. */
    private static final Path OUT = Path.of("/dev/stdout");

    private static final Path ERR = Path.of("/dev/stderr");
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ALONE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private OutputFile() {}

    /** Whether a file can be written, as far as can be seen before that. */
    public static boolean isWritable(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        return stream(file) != null
                || (directory != null
                        && Files.isDirectory(directory)
                        && !Files.isDirectory(file)
                        && Files.isWritable(Files.exists(file) ? file : directory));
    }

    /**
     * Writes a file.
     *
     * @throws UnwrittenException if that fails; a file that was there is as it was
     */
    public static void write(Path file, String text) throws UnwrittenException {
        try {
            FileDescriptor stream = stream(file);
            if (stream != null) {
                System.out.flush(); // what was printed comes first
                // Not closed: the descriptor belongs to the process.
                new FileOutputStream(stream).write(text.getBytes(StandardCharsets.UTF_8));
            } else if (isReplaced(file)) {
                replace(file, text);
            } else {
                Files.writeString(file, text, openOptions(file));
            }
        } catch (IOException e) {
            throw new UnwrittenException(file, e);
        }
    }

    /**
     * The stream of this process that has a name; null if none has. It is not opened anew: a socket
     * cannot be, and in a file who has this stream would write over what was written by another.
     */
    private static @Nullable FileDescriptor stream(Path file) {
        if (file.equals(OUT)) {
            return FileDescriptor.out;
        }
        return file.equals(ERR) ? FileDescriptor.err : null;
    }

    /** Where the directory takes no other file, there is no way but to write into the one there. */
    private static boolean isReplaced(Path file) {
        Path directory = file.toAbsolutePath().getParent();
        return directory != null
                && Files.isWritable(directory)
                && (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                        || !Files.exists(file, LinkOption.NOFOLLOW_LINKS));
    }

    /** Others may write to what is behind a device. */
    private static OpenOption[] openOptions(Path file) {
        return file.toAbsolutePath().startsWith(DEVICES)
                ? new OpenOption[] {StandardOpenOption.APPEND}
                : new OpenOption[0];
    }

    private static void replace(Path file, String text) throws IOException {
        // A number of its own, too: in a container each process may have the same.
        String own = ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime());
        // Without the name of the file, which may be as long as a name can be.
        Path beside = file.toAbsolutePath().resolveSibling(".polder." + own);
        beside.toFile().deleteOnExit(); // where it ends in the middle
        PosixFileAttributes old = attributes(file);
        if (old == null) {
            Files.createFile(beside);
        } else {
            Files.createFile(beside, OWNER_ALONE);
        }
        try {
            Files.writeString(beside, text);
            if (old != null) {
                keepReaders(old, beside);
            }
            // Atomic: else the old file is deleted first, and gone if the rest fails.
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    /** Of a file; null if there is none, or the file system has no such attributes. */
    private static @Nullable PosixFileAttributes attributes(Path file) {
        try {
            var view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
            return view == null ? null : view.readAttributes();
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Who may read a file may read the one that takes its place, and no group else; where root
     * writes, it stays its owner's. Until then only the writer may read it.
     */
    private static void keepReaders(PosixFileAttributes old, Path beside) {
        var own = Files.getFileAttributeView(beside, PosixFileAttributeView.class);
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
