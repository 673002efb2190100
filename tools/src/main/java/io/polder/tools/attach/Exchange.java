package io.polder.tools.attach;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.util.List;

/**
 * A directory into which the other JVM writes and from which this one reads. It is in the other's
 * directory for temporary files, and goes when this JVM ends: what is written later finds no place.
 *
 * <p>In a container the other sees other directories: its root is then {@code /proc/PID/root}.
 *
 * <p>The other is this user's, and still what is there is not trusted: it may be root's in a
 * container. So no link is followed, neither by the reader nor by the code that deletes.
 *
 * @param here its path for this process
 * @param there its path for the other process
 */
record Exchange(Path here, Path there) implements AutoCloseable {
    /** Makes the directory. */
    static Exchange with(Target target) throws IOException {
        Path proc = Path.of("/proc", Long.toString(target.pid()));
        Path root = sameRoot(proc) ? Path.of("/") : proc.resolve("root");
        Path temporary = target.temporaryDirectory();
        Path parent = root.resolve(Path.of("/").relativize(temporary));
        Path here = Files.createTempDirectory(parent, "polder-census-");
        Exchange exchange = new Exchange(here, temporary.resolve(here.getFileName()));
        Runtime.getRuntime().addShutdownHook(new Thread(exchange::close, "remove-exchange"));
        return exchange;
    }

    private static boolean sameRoot(Path proc) {
        try {
            Path self = Path.of("/proc/self");
            return link(proc, "ns/mnt").equals(link(self, "ns/mnt"))
                    && link(proc, "root").equals(link(self, "root"));
        } catch (IOException e) {
            return true; // no Linux, or not to be known
        }
    }

    private static Path link(Path proc, String name) throws IOException {
        return Files.readSymbolicLink(proc.resolve(name));
    }

    /**
     * A jar that both can read: itself, or a copy where the other would not see it. A JVM takes no
     * agent from a path with a '=', where the options begin, nor from one with letters that its
     * locale lacks, however the path is named.
     */
    Path visible(Path file) throws IOException {
        if (here.equals(there) && isPlain(file.toRealPath().toString())) {
            return file;
        }
        Files.copy(file, here.resolve(file.getFileName()));
        return there.resolve(file.getFileName());
    }

    private static boolean isPlain(String path) {
        return path.chars().allMatch(c -> c >= ' ' && c <= '~' && c != '=' && c != ':');
    }

    /** Whether the other has written a file. */
    boolean has(String name) {
        return Files.isRegularFile(here.resolve(name), LinkOption.NOFOLLOW_LINKS);
    }

    /** Reads what the other has written. */
    InputStream open(String name) throws IOException {
        return Files.newInputStream(here.resolve(name), LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public void close() {
        Path parent = here.getParent();
        if (parent == null) {
            return;
        }
        try (DirectoryStream<Path> above = Files.newDirectoryStream(parent)) {
            if (above instanceof SecureDirectoryStream<Path> secure) {
                deleteIn(secure);
            } else {
                delete();
            }
        } catch (IOException e) {
            // Gone already, or the other's to clean up.
        }
    }

    /** By names in open directories, so that nothing can be put in place of one meanwhile. */
    private void deleteIn(SecureDirectoryStream<Path> parent) throws IOException {
        Path name = here.getFileName();
        try (SecureDirectoryStream<Path> files =
                parent.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS)) {
            for (Path file : files) {
                files.deleteFile(file.getFileName());
            }
        }
        parent.deleteDirectory(name);
    }

    private void delete() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(here)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(here);
    }

    /** Options of the agent cannot name files whose names have these. */
    boolean isNameable() {
        return List.of(",", ";").stream().noneMatch(there.toString()::contains);
    }
}
