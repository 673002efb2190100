package io.polder.lab.scan;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * }</pre>
 */
final class Releases {
    /** The first release that knows such jars. */
    private static final int FIRST = 9;

    private static final Pattern VERSIONED =
            Pattern.compile("(.*?)META-INF/versions/([0-9]{1,4})/(.+)");

    private Releases() {}

    private record Candidate(Entry entry, int release) {}

    /** The class files that a JVM of a release would load, in the order they have. */
    static List<Entry> select(List<Entry> entries, int release) {
        Map<String, Candidate> best = new HashMap<>();
        List<String> order = new ArrayList<>();
        for (Entry entry : entries) {
            Matcher versioned = VERSIONED.matcher(entry.name());
            String name = entry.name();
            int since = 0;
            if (versioned.matches()) {
                name = versioned.group(1) + versioned.group(3);
                since = Integer.parseInt(versioned.group(2));
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

    /** The class files that are for all releases: what a JVM loads if the jar does not say more. */
    static List<Entry> unversioned(List<Entry> entries) {
        return entries.stream()
                .filter(entry -> !VERSIONED.matcher(entry.name()).matches())
                .toList();
    }
}
