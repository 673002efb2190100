package io.polder.stress.everywhere;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Copies a directory of classes, with each class instrumented. */
public final class InstrumentedCopy {
    private InstrumentedCopy() {}

    /**
     * Copies the classes of one directory to another, which is made if it is not there.
     *
     * @param arguments from where, to where, and which directory below, if not all
     */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length < 2 || arguments.length > 3) {
            System.err.println("InstrumentedCopy FROM TO [BELOW]");
            System.exit(2);
        }
        Path from = Path.of(arguments[0]);
        Path to = Path.of(arguments[1]);
        String below = arguments.length == 3 ? arguments[2] : "";
        System.out.printf("%d classes instrumented%n", copy(from, to, below));
    }

    /** Copies the classes of a directory below one; returns how many. */
    static int copy(Path from, Path to, String below) throws IOException {
        List<Path> files = classFiles(from.resolve(below));
        for (Path file : files) {
            Path copy = to.resolve(from.relativize(file).toString());
            Files.createDirectories(copy.getParent());
            Files.write(copy, Instrumentation.of(Files.readAllBytes(file)));
        }
        return files.size();
    }

    /** The class files below a directory, but for descriptors of modules. */
    static List<Path> classFiles(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(file -> file.toString().endsWith(".class"))
                    .filter(file -> !file.endsWith("module-info.class"))
                    .sorted()
                    .toList();
        }
    }
}
