package io.polder.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/**
 * A program as Spring Boot packs it: with its libraries as jars inside, which Boot's launcher loads
 * by a class loader of its own.
 *
 * <pre>
 *   org/springframework/boot/loader/   the launcher
 *   BOOT-INF/classes/                  the program
 *   BOOT-INF/lib/                      its libraries, not compressed
 * </pre>
 */
final class BootJar {
    private static final String CLASSES = "BOOT-INF/classes/";
    private static final String LIBRARIES = "BOOT-INF/lib/";

    private BootJar() {}

    /**
     * Packs one.
     *
     * @param jar what is written
     * @param launcher a jar with Boot's launcher
     * @param main the main class of the program
     * @param classes the folder with the program
     */
    static void write(Path jar, Path launcher, String main, Path classes, List<Path> libraries)
            throws IOException {
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(
                Attributes.Name.MAIN_CLASS, "org.springframework.boot.loader.launch.JarLauncher");
        attributes.putValue("Start-Class", main);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            try (JarFile from = new JarFile(launcher.toFile())) {
                for (JarEntry entry : from.stream().toList()) {
                    if (entry.getName().startsWith("org/")) {
                        out.putNextEntry(new JarEntry(entry.getName()));
                        from.getInputStream(entry).transferTo(out);
                    }
                }
            }
            out.putNextEntry(new JarEntry("BOOT-INF/"));
            out.putNextEntry(new JarEntry(CLASSES));
            try (Stream<Path> files = Files.walk(classes)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    String name = classes.relativize(file).toString().replace('\\', '/');
                    out.putNextEntry(new JarEntry(CLASSES + name));
                    Files.copy(file, out);
                }
            }
            out.putNextEntry(new JarEntry(LIBRARIES));
            for (Path library : libraries) {
                store(out, LIBRARIES + library.getFileName(), Files.readAllBytes(library));
            }
        }
    }

    private static void store(JarOutputStream out, String name, byte[] bytes) throws IOException {
        CRC32 sum = new CRC32();
        sum.update(bytes);
        JarEntry entry = new JarEntry(name);
        entry.setMethod(JarEntry.STORED);
        entry.setSize(bytes.length);
        entry.setCrc(sum.getValue());
        out.putNextEntry(entry);
        out.write(bytes);
    }
}
