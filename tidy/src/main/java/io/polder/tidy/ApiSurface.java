package io.polder.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What a compiled module shows to others, as lines of text: a line for each type that its exported
 * packages show, and below it one for each member that code outside the package can reach.
 *
 * <pre>
 * io.polder.page.PageCache: public final class
 *     public static final long GRANULE_BYTES = 2097152
 *     public io.polder.page.Page take(long) throws InterruptedException
 * </pre>
 *
 * <p>Names of parameters are left out, since nobody depends on them. What may be null and the
 * values of constants, which compilers copy, are there. Classes are loaded and not initialised.
 */
final class ApiSurface {

    private static final String HEADER =
            """
            # What module io.polder shows to others. A line that changes or goes breaks programs.
            # After a change: mvn -q -pl core compile && mvn -q -pl tidy test -Dtidy.fix
            """;

    private final Path classes;
    private final ClassLoader loader;

    private ApiSurface(Path classes, ClassLoader loader) {
        this.classes = classes;
        this.loader = loader;
    }

    /**
     * The surface of the module {@code name} in that directory.
     *
     * @param besides where classes are that the module's classes name, its annotations, say
     */
    static String of(String name, Path classes, Collection<Path> besides) throws IOException {
        ModuleDescriptor module = ModuleFinder.of(classes).find(name).orElseThrow().descriptor();
        Set<String> packages = new TreeSet<>();
        module.exports().stream()
                .filter(exports -> !exports.isQualified())
                .forEach(exports -> packages.add(exports.source()));
        return HEADER + ofPackages(packages, classes, besides);
    }

    /** The same without the line that says what it is, for packages that are named. */
    static String ofPackages(Set<String> packages, Path classes, Collection<Path> besides)
            throws IOException {
        List<URL> places = new ArrayList<>();
        places.add(url(classes));
        for (Path path : besides) {
            places.add(url(path));
        }
        StringBuilder text = new StringBuilder();
        try (URLClassLoader loader =
                new URLClassLoader(
                        places.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            ApiSurface surface = new ApiSurface(classes, loader);
            for (String name : packages) {
                for (Class<?> type : surface.types(name)) {
                    surface.write(type, text);
                }
            }
        }
        return text.toString();
    }

    /** What differs between the lines of a file and those it should have. */
    static List<Violation> compare(String path, String written, String actual) {
        List<String> before = typed(written);
        List<String> after = typed(actual);
        List<Violation> found = new ArrayList<>();
        List<String> gone = new ArrayList<>(before);
        after.forEach(gone::remove);
        gone.forEach(
                line ->
                        found.add(
                                new Violation(
                                        path,
                                        before.indexOf(line) + 1,
                                        "not shown any more: " + line)));
        List<String> come = new ArrayList<>(after);
        before.forEach(come::remove);
        come.forEach(line -> found.add(new Violation(path, 0, "shown and not listed: " + line)));
        if (found.isEmpty() && !before.equals(after)) {
            found.add(new Violation(path, 0, "not in order"));
        }
        return found;
    }

    /** Whether no source is newer than all classes: whether they are what the sources say. */
    static boolean isCompiled(Path sources, Path classes) throws IOException {
        return Files.isDirectory(classes) && newest(sources) <= newest(classes);
    }

    private static long newest(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().lastModified())
                    .max()
                    .orElse(0);
        }
    }

    /** The lines, a member with its type in front of it. */
    private static List<String> typed(String text) {
        List<String> lines = new ArrayList<>();
        String type = "";
        for (String line : text.lines().toList()) {
            if (line.startsWith("    ")) {
                lines.add(type + " " + line.strip());
            } else {
                type = line.contains(":") ? line.substring(0, line.indexOf(':')) : line;
                lines.add(line);
            }
        }
        return lines;
    }

    private static URL url(Path path) {
        try {
            return path.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The types of a package that other packages see, nested ones included, by name. */
    private List<Class<?>> types(String packageName) throws IOException {
        Path directory = classes.resolve(packageName.replace('.', '/'));
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.list(directory)) {
            files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".class") && !file.equals("package-info.class"))
                    .forEach(file -> names.add(file.substring(0, file.length() - 6)));
        }
        List<Class<?>> types = new ArrayList<>();
        for (String name : names) {
            Class<?> type = load(packageName + "." + name);
            if (isShown(type)) {
                types.add(type);
            }
        }
        return types;
    }

    private Class<?> load(String name) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isShown(Class<?> type) {
        if (type.isAnonymousClass() || type.isLocalClass() || type.isSynthetic()) {
            return false;
        }
        Class<?> outer = type.getDeclaringClass();
        return ApiText.isShown(type.getModifiers()) && (outer == null || isShown(outer));
    }

    private void write(Class<?> type, StringBuilder text) throws IOException {
        text.append('\n').append(ApiText.type(type)).append('\n');
        SequencedSet<String> members = new TreeSet<>();
        // What a type inherits from one that nobody sees is seen in it.
        for (Class<?> from : withHiddenParents(type)) {
            ApiText.members(from, from == type, constants(from), members);
        }
        members.forEach(member -> text.append("    ").append(member).append('\n'));
    }

    private static List<Class<?>> withHiddenParents(Class<?> type) {
        List<Class<?>> all = new ArrayList<>();
        all.add(type);
        for (int i = 0; i < all.size(); i++) {
            Class<?> at = all.get(i);
            List<Class<?>> parents = new ArrayList<>(List.of(at.getInterfaces()));
            if (at.getSuperclass() != null) {
                parents.add(at.getSuperclass());
            }
            parents.stream().filter(parent -> !isShown(parent)).forEach(all::add);
        }
        return all;
    }

    /** The values of constants that compilers copy into other classes, by the field's name. */
    private Map<String, String> constants(Class<?> type) throws IOException {
        Path file = classes.resolve(type.getName().replace('.', '/') + ".class");
        Map<String, String> values = new HashMap<>();
        if (!Files.exists(file)) {
            return values;
        }
        ClassModel model = ClassFile.of().parse(file);
        for (FieldModel field : model.fields()) {
            field.findAttribute(java.lang.classfile.Attributes.constantValue())
                    .ifPresent(
                            value ->
                                    values.put(
                                            field.fieldName().stringValue(),
                                            value.constant().constantValue().toString()));
        }
        return values;
    }
}
