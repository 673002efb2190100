package io.polder.arrow.pickup;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The class path of a JVM that a test starts, made of entries of its own.
 *
 * @param entries jars and folders, first things first
 */
record ClassPath(List<String> entries) {
    private static final String NETTY = "arrow-memory-netty";
    private static final String UNSAFE = "arrow-memory-unsafe";
    private static final String TESTS = "-tests.jar";

    /** What this JVM has. */
    static ClassPath ofTests() {
        String path = System.getProperty("java.class.path");
        return new ClassPath(Arrays.asList(path.split(File.pathSeparator, -1)));
    }

    /** Arrow's vectors and the classes of these tests; no manager of memory. */
    static ClassPath withoutManagers() {
        ClassPath all = ofTests();
        return all.without(all.netty())
                .without(all.unsafe())
                .without(all.polder())
                .without(all.logback())
                .without(TESTS);
    }

    /** Netty's manager, with Netty. */
    List<String> netty() {
        return with(name -> name.startsWith(NETTY) || name.startsWith("netty-"));
    }

    /** Unsafe's manager. */
    List<String> unsafe() {
        return with(name -> name.startsWith(UNSAFE));
    }

    /** Polder as the default: that jar, and what it depends on. */
    List<String> polder() {
        return with(
                name ->
                        name.startsWith("polder-")
                                || name.equals("classes")); // before the jars are packed
    }

    /** What Arrow's tests log to. */
    List<String> logback() {
        return with(name -> name.startsWith("logback-"));
    }

    /** Nothing to log to: where logback is. */
    ClassPath withoutSilence() {
        return without(with(name -> name.startsWith("slf4j-nop")));
    }

    /** The one jar of Arrow's tests. */
    Path arrowsTests() {
        return Path.of(with(name -> name.endsWith(TESTS)).getFirst());
    }

    /** The version of Arrow, by the names of its jars. */
    String arrowVersion() {
        String jar = with(name -> name.startsWith("arrow-vector-")).getFirst();
        return jar.replaceFirst(".*arrow-vector-", "").replace(".jar", "");
    }

    /** This, with others before it. */
    ClassPath after(List<String> others) {
        return new ClassPath(Stream.concat(others.stream(), entries.stream()).toList());
    }

    private ClassPath without(List<String> others) {
        return new ClassPath(entries.stream().filter(entry -> !others.contains(entry)).toList());
    }

    private ClassPath without(String end) {
        return new ClassPath(entries.stream().filter(entry -> !entry.endsWith(end)).toList());
    }

    private List<String> with(Predicate<String> name) {
        return entries.stream()
                .filter(entry -> name.test(String.valueOf(Path.of(entry).getFileName())))
                .toList();
    }

    @Override
    public String toString() {
        return String.join(File.pathSeparator, entries);
    }
}
