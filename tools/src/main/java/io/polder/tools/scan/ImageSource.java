package io.polder.tools.scan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The image of the JDK that runs, {@code jrt:}, or one module of it, {@code jrt:/java.base}. */
final class ImageSource implements Source {
    static final String SCHEME = "jrt:";

    private final String name;
    private final List<Path> modules;

    private ImageSource(String name, List<Path> modules) {
        this.name = name;
        this.modules = modules;
    }

    /**
     * The modules that a PATH stands for.
     *
     * @throws UnusableException if there is no such module
     */
    static ImageSource of(String path) throws UnusableException {
        String module = path.substring(SCHEME.length()).replaceFirst("^/+", "");
        try {
            Path all = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
            if (module.isEmpty()) {
                try (Stream<Path> modules = Files.list(all)) {
                    return new ImageSource(path, modules.sorted().toList());
                }
            }
            Path one = all.resolve(module);
            if (module.contains("/") || !Files.isDirectory(one)) {
                throw Sources.unusable(
                        path, "the JDK that runs has no such module: java --list-modules", null);
            }
            return new ImageSource(path, List.of(one));
        } catch (FileSystemNotFoundException e) {
            throw Sources.unusable(path, "this JVM has no image of its classes", e);
        } catch (IOException e) {
            throw Sources.unusable(path, "the image cannot be read: " + e, e);
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void visit(Visitor visitor, Span span) throws InterruptedException {
        List<Artifact> artifacts = modules.stream().map(ImageSource::artifact).toList();
        List<Long> weights =
                artifacts.stream().map(artifact -> (long) artifact.entries().size()).toList();
        List<Span> spans = span.split(weights);
        for (int i = 0; i < artifacts.size(); i++) {
            visitor.artifact(artifacts.get(i), spans.get(i));
        }
    }

    private static Artifact artifact(Path module) {
        String name = SCHEME + "/" + module.getFileName();
        List<Entry> entries = new ArrayList<>();
        try (Stream<Path> files = Files.walk(module)) {
            files.filter(file -> file.toString().endsWith(Jar.CLASS))
                    .sorted()
                    .forEach(
                            file ->
                                    entries.add(
                                            new FileEntry(
                                                    module.relativize(file).toString(), file)));
            return new Artifact(name, entries, List.of());
        } catch (IOException | UncheckedIOException e) {
            return Artifact.unusable(name, Problem.Kind.UNREADABLE, "it cannot be read: " + e);
        }
    }
}
