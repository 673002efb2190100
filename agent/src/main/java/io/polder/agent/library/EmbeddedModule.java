package io.polder.agent.library;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.net.URI;
import java.nio.file.Path;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * The module of the library as it lies in the agent's jar, in a directory that no class loader
 * looks at by itself: so it is neither in the program's way nor replaced by the program's.
 */
final class EmbeddedModule implements ModuleFinder {
    /** Where the agent's jar holds the library. */
    private static final String PREFIX = "polder-core/";

    private final ModuleReference reference;

    private EmbeddedModule(ModuleReference reference) {
        this.reference = reference;
    }

    /** Looks into the agent's jar. */
    static EmbeddedModule in(JarFile jar) throws IOException {
        try (InputStream in = open(jar, "module-info.class")) {
            ModuleDescriptor descriptor = ModuleDescriptor.read(in, new Packages(jar));
            return new EmbeddedModule(new Reference(descriptor, jar));
        }
    }

    /** The packages of the module; no lambda, as the program waits for its first arena. */
    private record Packages(JarFile jar) implements Supplier<Set<String>> {
        @Override
        public Set<String> get() {
            Set<String> packages = new HashSet<>();
            Enumeration<JarEntry> entries = jar.entries();
            while (entries.hasMoreElements()) {
                String entry = entries.nextElement().getName();
                int last = entry.lastIndexOf('/');
                if (entry.startsWith(PREFIX)
                        && entry.endsWith(".class")
                        && last >= PREFIX.length()) {
                    packages.add(entry.substring(PREFIX.length(), last).replace('/', '.'));
                }
            }
            return packages;
        }
    }

    private static InputStream open(JarFile file, String name) throws IOException {
        JarEntry entry = file.getJarEntry(PREFIX + name);
        if (entry == null) {
            throw new IOException("no " + PREFIX + name + " in " + file.getName());
        }
        return file.getInputStream(entry);
    }

    @Override
    public Optional<ModuleReference> find(String name) {
        return name.equals(reference.descriptor().name())
                ? Optional.of(reference)
                : Optional.empty();
    }

    @Override
    public Set<ModuleReference> findAll() {
        return Set.of(reference);
    }

    /** The module, to be read from the jar. */
    private static final class Reference extends ModuleReference {
        private final JarFile jar;

        Reference(ModuleDescriptor descriptor, JarFile jar) {
            super(descriptor, Path.of(jar.getName()).toUri());
            this.jar = jar;
        }

        @Override
        public ModuleReader open() {
            return new Reader(jar);
        }
    }

    /** Reads entries of the jar, which is the agent's to close. */
    private record Reader(JarFile file) implements ModuleReader {
        @Override
        public Optional<URI> find(String name) {
            return file.getJarEntry(PREFIX + name) == null
                    ? Optional.empty()
                    : Optional.of(
                            URI.create(
                                    "jar:"
                                            + Path.of(file.getName()).toUri()
                                            + "!/"
                                            + PREFIX
                                            + name));
        }

        @Override
        public Optional<InputStream> open(String name) throws IOException {
            return file.getJarEntry(PREFIX + name) == null
                    ? Optional.empty()
                    : Optional.of(EmbeddedModule.open(file, name));
        }

        @Override
        public Stream<String> list() {
            return file.stream()
                    .map(JarEntry::getName)
                    .filter(name -> name.startsWith(PREFIX) && name.length() > PREFIX.length())
                    .map(name -> name.substring(PREFIX.length()));
        }

        @Override
        public void close() {}
    }
}
