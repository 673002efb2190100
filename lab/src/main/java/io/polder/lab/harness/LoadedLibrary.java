package io.polder.lab.harness;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Which file the code at an address was loaded from. The loader of the system only warns when a
 * library cannot be preloaded, and goes on without it: what is measured then is something else.
 */
public final class LoadedLibrary {
    private static final Path MAPS = Path.of("/proc/self/maps");

    /** Where the name of the file begins, in words. */
    private static final int FILE = 5;

    private LoadedLibrary() {}

    /**
     * Checks where code comes from.
     *
     * @throws IllegalStateException if it is not this file
     */
    static void require(long address, Path library) throws IOException {
        Optional<Path> loaded = of(address);
        if (loaded.isEmpty() || !Files.isSameFile(loaded.get(), library)) {
            throw new IllegalStateException(
                    "malloc must come from the library that was preloaded: preloaded="
                            + library
                            + ", malloc="
                            + loaded.map(Path::toString).orElse("unknown"));
        }
    }

    /**
     * Checks where malloc comes from.
     *
     * @param library what was preloaded; null if nothing was, and then it may come from anywhere
     * @throws IllegalStateException if it does not come from there
     */
    public static void requireOfMalloc(@Nullable String library) throws IOException {
        if (library != null) {
            require(Malloc.address(), Path.of(library));
        }
    }

    /** The file; empty if there is none at this address. */
    static Optional<Path> of(long address) throws IOException {
        for (String line : Files.readAllLines(MAPS, StandardCharsets.ISO_8859_1)) {
            String[] words = line.split(" +", FILE + 1);
            int dash = words[0].indexOf('-');
            long start = Long.parseUnsignedLong(words[0], 0, dash, 16);
            long end = Long.parseUnsignedLong(words[0], dash + 1, words[0].length(), 16);
            if (Long.compareUnsigned(start, address) <= 0
                    && Long.compareUnsigned(address, end) < 0) {
                return words.length > FILE && words[FILE].startsWith("/")
                        ? Optional.of(Path.of(words[FILE]))
                        : Optional.empty();
            }
        }
        return Optional.empty();
    }
}
