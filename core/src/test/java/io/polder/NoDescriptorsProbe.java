package io.polder;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Asks for more than the machine has while no file can be opened, and then when some can. */
final class NoDescriptorsProbe {
    private static final int OPEN_MAX = 2_000_000;

    private NoDescriptorsProbe() {}

    public static void main(String[] args) throws IOException {
        long tooMuch = Long.parseLong(args[0]);
        if (args.length > 2) {
            useFirst(Path.of(args[1]));
            return;
        }
        MemoryPool pool = MemoryPool.builder().build();
        pool.pages().allocate(2 << 20).close();
        loadClasses(Path.of(args[1]));
        List<FileInputStream> files = exhaust();
        print("unread", pool, tooMuch);
        close(files);
        print("read", pool, tooMuch);
        files = exhaust();
        print("known", pool, tooMuch);
        close(files);
        print("again", pool, tooMuch);
        System.out.println("ok");
    }

    /** Uses a pool for the first time while there is no descriptor, and then another. */
    private static void useFirst(Path folder) throws IOException {
        loadClasses(folder);
        List<FileInputStream> files = exhaust();
        String without = use();
        close(files);
        System.out.println("without: " + without + ", with: " + use());
    }

    private static String use() {
        try (MemoryPool pool = MemoryPool.builder().committedMaxBytes(16 << 20).build()) {
            pool.pages().allocate(4 << 20).close();
            return "taken";
        } catch (OutOfMemoryError refused) {
            return "refused: " + refused.getMessage();
        }
    }

    /** Those of a folder cannot be loaded without a descriptor. */
    private static void loadClasses(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                String name = folder.relativize(file).toString().replace('/', '.');
                if (name.endsWith(".class") && name.startsWith("io.polder.")) {
                    Class<?> _ = loaded(name.substring(0, name.length() - ".class".length()));
                }
            }
        }
    }

    private static Class<?> loaded(String name) {
        try {
            return Class.forName(name, false, NoDescriptorsProbe.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<FileInputStream> exhaust() {
        List<FileInputStream> files = new ArrayList<>();
        try {
            while (files.size() < OPEN_MAX) {
                files.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException noneLeft) {
            return files;
        }
        throw new IllegalStateException("descriptors must run out");
    }

    private static void close(List<FileInputStream> files) throws IOException {
        for (FileInputStream file : files) {
            file.close();
        }
    }

    private static void print(String when, MemoryPool pool, long tooMuch) {
        try {
            pool.pages().allocate(tooMuch).close();
            long _ = pool.trim(); // else it is at hand
            System.out.println(when + ": taken");
        } catch (OutOfMemoryError refused) {
            System.out.println(when + ": refused");
        }
    }
}
