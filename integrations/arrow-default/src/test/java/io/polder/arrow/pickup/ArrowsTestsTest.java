package io.polder.arrow.pickup;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;

/** Arrow's own tests of memory, as they are on Maven Central, on memory of Polder. */
class ArrowsTestsTest {
    /** So many had both versions, and those of 19.0 that are of memory: not fewer, unnoticed. */
    private static final int TESTS_MIN = 75;

    private static final int ALLOCATOR_TESTS_MIN = 35;

    /** A class of the tests that Arrow would take before ours: it is what they stand on there. */
    private static final String THEIR_DEFAULT =
            "org/apache/arrow/memory/DefaultAllocationManagerFactory";

    private static final String MAIN = "io.polder.arrow.pickup.ArrowsTestsProgram";

    private final ClassPath all = ClassPath.ofTests();
    @TempDir private Path folder;

    /** The jar of Arrow's tests, but for the manager that it brings along. */
    private Path testsWithoutManager() throws IOException {
        Path copy = folder.resolve("arrow-tests.jar");
        int left = 0;
        try (JarFile jar = new JarFile(all.arrowsTests().toFile());
                OutputStream file = Files.newOutputStream(copy);
                JarOutputStream out = new JarOutputStream(file)) {
            for (JarEntry entry : jar.stream().toList()) {
                if (entry.getName().startsWith(THEIR_DEFAULT)) {
                    left++;
                } else {
                    out.putNextEntry(new JarEntry(entry.getName()));
                    try (InputStream in = jar.getInputStream(entry)) {
                        in.transferTo(out);
                    }
                }
            }
        }
        assertThat(left).isEqualTo(2);
        return copy;
    }

    private JavaProcess.Result run(List<String> flags, String classes) throws Exception {
        Path tests = testsWithoutManager();
        List<String> first = new ArrayList<>(all.polder());
        first.add(tests.toString());
        first.addAll(all.logback());
        List<String> words = List.of(MAIN, tests.toString(), classes);
        ClassPath path = ClassPath.withoutManagers().withoutSilence().after(first);
        return JavaProcess.run(folder, flags, path, words);
    }

    private void assertPass(int least, String classes, String... moreFlags) throws Exception {
        List<String> flags = new ArrayList<>(JavaProcess.ALL_FLAGS);
        flags.addAll(List.of(moreFlags));
        JavaProcess.Result result = run(flags, classes);
        System.out.printf(
                "Arrow %s's tests of memory on Polder %s: %s",
                all.arrowVersion(), List.of(moreFlags), result.out());
        assertThat(result.out())
                .describedAs(result.err())
                .matches("\\d+ passed, 0 failed, \\d+ skipped\\n");
        int passed = Integer.parseInt(result.out().replaceFirst(" .*\\n", ""));
        assertThat(passed).isGreaterThanOrEqualTo(least);
    }

    /** All but the one that wants Arrow not to start, and is to be run without its flags. */
    @Test
    void testsOfMemory_onPolder_allPass() throws Exception {
        assertPass(TESTS_MIN, "(?!.*TestOpens).*");
    }

    @Test
    void testsOfAllocators_withBooksKept_allPass() throws Exception {
        assertPass(
                ALLOCATOR_TESTS_MIN,
                ".*(TestBaseAllocator|TestForeignAllocation)",
                "-Darrow.memory.debug.allocator=true");
    }
}
