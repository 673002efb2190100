package io.polder.tools.scan;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.jar.Attributes;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Class files that are there for several releases of Java: of each class, a JVM loads the one for
 * the highest release that is not above its own.
 *
 * <pre>{@code
 *   org/example/Memory.class                         for all
 *   META-INF/versions/22/org/example/Memory.class    from 22 on
 *   META-INF/versions/99/org/example/Memory.class    not yet
 *   META-INF/versions/x/org/example/Memory.class     never
 * }</pre>
 */
final class Releases {
    /** The first release that knows such jars. */
    private static final int FIRST = 9;

    private static final Pattern VERSIONED = Pattern.compile("(.*?)META-INF/versions/([^/]+)/(.+)");

    /** How a JVM writes a release: what is in other folders it never loads. */
    private static final Pattern RELEASE = Pattern.compile("[1-9][0-9]{0,3}");

    private static final int MANIFEST_BYTES_MAX = 16 << 20;

    private Releases() {}

    private record Candidate(Entry entry, int release) {}

    /** Whether a manifest says that there are such class files. */
    static boolean areDeclared(InputStream manifest) throws IOException {
        byte[] text = Limited.read(manifest, MANIFEST_BYTES_MAX);
        return "true"
                .equalsIgnoreCase(
                        new Manifest(new ByteArrayInputStream(text))
                                .getMainAttributes()
                                .getValue(Attributes.Name.MULTI_RELEASE));
    }

    /**
     * The class files that a JVM of a release would load, in the order they have.
     *
     * @param declared whether releases count in a folder, by its path with a slash at the end;
     *     where they do not, these are class files like any other
     */
    static List<Entry> select(List<Entry> entries, int release, Predicate<String> declared) {
        Map<String, Candidate> best = new HashMap<>();
        List<String> order = new ArrayList<>();
        for (Entry entry : entries) {
            Matcher versioned = VERSIONED.matcher(entry.name());
            String name = entry.name();
            int since = 0;
            if (versioned.matches() && declared.test(versioned.group(1))) {
                name = versioned.group(1) + versioned.group(3);
                since = release(versioned.group(2));
                if (since < FIRST || since > release) {
                    continue;
                }
            }
            Candidate other = best.get(name);
            if (other == null) {
                order.add(name);
            }
            if (other == null || other.release() < since) {
                best.put(name, new Candidate(entry, since));
            }
        }
        return order.stream().map(best::get).map(Candidate::entry).toList();
    }

    private static int release(String folder) {
        return RELEASE.matcher(folder).matches() ? Integer.parseInt(folder) : 0;
    }

    /** The class files that are for all releases: what a JVM loads if the jar does not say more. */
    static List<Entry> unversioned(List<Entry> entries) {
        return entries.stream()
                .filter(entry -> !VERSIONED.matcher(entry.name()).matches())
                .toList();
    }
}
