package io.polder.tools.scan;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * The entries of a jar whose names have {@code .} or {@code ..} for a folder. The JVM loads nothing
 * by such a name, and everything else that is in the jar; but the JDK makes no file system of it.
 */
final class DottedNames {
    private static final Pattern DOTTED = Pattern.compile("(^|/)\\.\\.?(/|$)");

    private DottedNames() {}

    /** One problem for each of them. */
    static List<Problem> in(Path jar) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            return zip.stream().filter(DottedNames::isDotted).map(DottedNames::leftOut).toList();
        }
    }

    private static boolean isDotted(ZipEntry entry) {
        return DOTTED.matcher(entry.getName()).find();
    }

    private static Problem leftOut(ZipEntry entry) {
        String why = "nothing is loaded by a name with . or .. for a folder";
        return new Problem(Problem.Kind.UNREADABLE, entry.getName(), why);
    }

    /**
     * Copies a jar without them.
     *
     * @throws IOException if one of the others is damaged, or they have more than so many bytes
     */
    static void copyOthers(Path jar, OutputStream to, long bytesMax) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile());
                ZipOutputStream out = new ZipOutputStream(to)) {
            out.setLevel(0);
            Set<String> names = new HashSet<>();
            long left = bytesMax;
            for (ZipEntry entry : zip.stream().toList()) {
                if (!isDotted(entry) && names.add(entry.getName())) {
                    out.putNextEntry(new ZipEntry(entry.getName()));
                    try (InputStream in = zip.getInputStream(entry)) {
                        left -= Limited.copy(in, out, left);
                    }
                }
            }
        }
    }
}
