package io.polder.tools.scan;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Java sources, compiled when a test runs: without the checks of the build, and with lines. */
final class Compiled {
    private Compiled() {}

    /**
     * Compiles a class into a folder.
     *
     * @param name of the class, which has no package
     * @param source below imports of what is scanned for
     */
    static Path into(Path folder, String name, String source) {
        JavaCompiler compiler =
                Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "runs on a JDK");
        StringWriter messages = new StringWriter();
        try (StandardJavaFileManager files =
                compiler.getStandardFileManager(null, Locale.ROOT, null)) {
            Path file = folder.resolve(name + ".java");
            Files.writeString(file, imports() + source);
            List<String> options = List.of("-g", "-proc:none", "-nowarn", "-d", folder.toString());
            boolean done =
                    compiler.getTask(
                                    messages,
                                    files,
                                    null,
                                    options,
                                    null,
                                    files.getJavaFileObjects(file))
                            .call();
            if (!done) {
                throw new IllegalArgumentException(messages + "\n" + source);
            }
            Files.delete(file);
            return folder.resolve(name + ".class");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Compiles a class and scans it and those within it. */
    static List<Use> uses(Path folder, String name, String source) {
        into(folder, name, source);
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".class"))
                    .sorted()
                    .flatMap(file -> ClassScan.of(bytes(file), all()).stream())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static EnumSet<UseKind> all() {
        return EnumSet.allOf(UseKind.class);
    }

    static byte[] bytes(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String imports() {
        String unsafe = "Unsafe";
        return "import java.lang.foreign.*; import java.util.*; import java.util.function.*;"
                + " import sun.misc."
                + unsafe
                + ";\n";
    }
}
