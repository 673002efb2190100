package io.polder.lab.attach;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A directory into which the other JVM writes and from which this one reads. It is in the other's
 * directory for temporary files, belongs to the other's user, and goes when this JVM ends: what is
 * written later finds no place.
 *
 * <p>In a container the other sees other directories: its root is then {@code /proc/PID/root}.
 *
 * @param here its path for this process
 * @param there its path for the other process
 */
record Exchange(Path here, Path there) implements AutoCloseable {
    /** Makes the directory. */
    static Exchange with(Target target) throws IOException {
        Path proc = Path.of("/proc", Long.toString(target.pid()));
        Path root = sameRoot(proc) ? Path.of("/") : proc.resolve("root");
        Path parent = root.resolve(Path.of("/").relativize(target.temporaryDirectory()));
        Path here = Files.createTempDirectory(parent, "polder-census-");
        Exchange exchange =
                new Exchange(here, target.temporaryDirectory().resolve(here.getFileName()));
        if (Files.isDirectory(proc)) {
            Files.setOwner(here, Files.getOwner(proc));
        }
        Runtime.getRuntime().addShutdownHook(new Thread(exchange::close, "remove-exchange"));
        return exchange;
    }

    private static boolean sameRoot(Path proc) {
        try {
            Path other = Files.readSymbolicLink(proc.resolve("ns/mnt"));
            return other.equals(Files.readSymbolicLink(Path.of("/proc/self/ns/mnt")));
        } catch (IOException e) {
            return true; // no Linux, or not to be known
        }
    }

    /** A file that both can read: itself, or a copy where the other would not see it. */
    Path visible(Path file) throws IOException {
        if (here.equals(there)) {
            return file;
        }
        Files.copy(file, here.resolve(file.getFileName()));
        return there.resolve(file.getFileName());
    }

    @Override
    public void close() {
        try (Stream<Path> files = Files.list(here)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(here);
        } catch (IOException e) {
            // Gone already, or the other's to clean up.
        }
    }

    /** Options of the agent cannot name files whose names have these. */
    boolean isNameable() {
        return List.of(",", ";").stream().noneMatch(there.toString()::contains);
    }
}
