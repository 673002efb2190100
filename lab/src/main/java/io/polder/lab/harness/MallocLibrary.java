package io.polder.lab.harness;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A library that malloc may come from. Other ones than the C library are loaded before it ({@code
 * LD_PRELOAD}), which is how their documentation says to use them with a program that exists.
 */
public enum MallocLibrary {
    /** The C library's own. */
    GLIBC,
    /** jemalloc. */
    JEMALLOC,
    /** mimalloc. */
    MIMALLOC,
    /** TCMalloc of gperftools. */
    TCMALLOC;

    /** How to get those that can be missing. */
    private static final String INSTALLING =
            """
              Debian, Ubuntu   sudo apt install libjemalloc2 libmimalloc2.0 libtcmalloc-minimal4
                               (the number of mimalloc changes: apt search libmimalloc)
              Fedora           sudo dnf install jemalloc mimalloc gperftools-libs
              elsewhere        put the directory of libjemalloc.so.2, libmimalloc.so or
                               libtcmalloc_minimal.so.4 into LD_LIBRARY_PATH
            """;

    /** More than is ever free at the top of a heap. */
    private static final String GLIBC_UNREACHED = Long.toString(1L << 40);

    /** A whole heap of other threads ({@code HEAP_MAX_SIZE}), so that none is removed. */
    private static final String GLIBC_TOP_PAD = Long.toString(64L << 20);

    /** The most that glibc accepts ({@code HEAP_MAX_SIZE / 2}). */
    private static final String GLIBC_MMAP_THRESHOLD = Long.toString(32L << 20);

    /**
     * Small sizes use what large ones have freed, however large it is (the limit is 2^6 times what
     * is needed). Without it jemalloc takes new memory each time, and what it keeps grows:
     * measured, to seven times what was ever used.
     */
    private static final String JEMALLOC_REUSE = "lg_extent_max_active_fit:20";

    private static final List<String> USUAL_DIRECTORIES =
            List.of(
                    "/usr/local/lib",
                    "/usr/local/lib64",
                    "/usr/lib64",
                    "/usr/lib",
                    "/lib64",
                    "/lib");

    /** Its name in metrics, tables and files. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Variables of the environment by which the library keeps what is free, instead of giving it
     * back when it sees fit.
     */
    public Map<String, String> keeping() {
        return switch (this) {
            case GLIBC ->
                    Map.of(
                            "MALLOC_TRIM_THRESHOLD_", GLIBC_UNREACHED,
                            "MALLOC_TOP_PAD_", GLIBC_TOP_PAD,
                            "MALLOC_MMAP_THRESHOLD_", GLIBC_MMAP_THRESHOLD);
            case JEMALLOC ->
                    Map.of("MALLOC_CONF", "dirty_decay_ms:-1,muzzy_decay_ms:-1," + JEMALLOC_REUSE);
            // The first of releases before 2.1, the second since.
            case MIMALLOC -> Map.of("MIMALLOC_ALLOW_DECOMMIT", "0", "MIMALLOC_PURGE_DELAY", "-1");
            case TCMALLOC -> Map.of("TCMALLOC_RELEASE_RATE", "0");
        };
    }

    /** Says which of some libraries were not measured, and how to get them; empty if all were. */
    public static String missing(
            Collection<MallocLibrary> wanted, Collection<MallocLibrary> measured) {
        String missing =
                wanted.stream()
                        .filter(library -> !measured.contains(library))
                        .map(MallocLibrary::id)
                        .collect(Collectors.joining(", "));
        return missing.isEmpty()
                ? ""
                : "\nNot installed, so not measured: " + missing + ". To install:\n" + INSTALLING;
    }

    /**
     * The variable of the environment that preloads a library. None is preloaded where there is no
     * file, not even one that is preloaded into this process.
     */
    public static Map<String, String> preloading(@Nullable String file) {
        return Map.of("LD_PRELOAD", file == null ? "" : file);
    }

    /** Those of some libraries that can be preloaded and are installed, each with its file. */
    public static Map<MallocLibrary, Path> installed(List<MallocLibrary> libraries) {
        return installedIn(directories(), libraries);
    }

    static Map<MallocLibrary, Path> installedIn(
            List<Path> directories, List<MallocLibrary> libraries) {
        Map<MallocLibrary, Path> installed = new EnumMap<>(MallocLibrary.class);
        for (MallocLibrary library : libraries) {
            library.fileIn(directories).ifPresent(file -> installed.put(library, file));
        }
        return installed;
    }

    /** Names of its file, newest first; none if it is there anyway. */
    private List<String> files() {
        return switch (this) {
            case GLIBC -> List.of();
            case JEMALLOC -> List.of("libjemalloc.so.2", "libjemalloc.so");
            case MIMALLOC -> List.of("libmimalloc.so.3", "libmimalloc.so.2", "libmimalloc.so");
            case TCMALLOC ->
                    List.of(
                            "libtcmalloc_minimal.so.4",
                            "libtcmalloc_minimal.so",
                            "libtcmalloc.so.4",
                            "libtcmalloc.so");
        };
    }

    private Optional<Path> fileIn(List<Path> directories) {
        return directories.stream()
                .flatMap(directory -> files().stream().map(directory::resolve))
                .filter(Files::isRegularFile)
                .findFirst();
    }

    /** Where the loader would look: what the user says, and where distributions put libraries. */
    private static List<Path> directories() {
        List<Path> directories = new ArrayList<>();
        String said = System.getenv("LD_LIBRARY_PATH");
        if (said != null) {
            Stream.of(said.split(File.pathSeparator))
                    .filter(directory -> !directory.isEmpty())
                    .map(Path::of)
                    .forEach(directories::add);
        }
        // As in x86_64-linux-gnu: where Debian keeps libraries of each architecture.
        String architecture = System.getProperty("os.arch");
        String debian = (architecture.equals("amd64") ? "x86_64" : architecture) + "-linux-gnu";
        for (String directory : USUAL_DIRECTORIES) {
            directories.add(Path.of(directory, debian));
            directories.add(Path.of(directory));
        }
        return directories;
    }
}
