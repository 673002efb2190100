package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.InvokeDynamicEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What is in the class files, and what the JVM does about it at their first use: both may come
 * where a stack is about to end, or the Java heap is full.
 */
class ClassFilesTest {
    /** What the JVM says of a class that has a static initialiser. */
    private static final Pattern INITIALISED =
            Pattern.compile("Initializing '(io/polder/\\S+)' \\(0x\\w+\\) by thread \"main\"");

    /** Text is put together without the linker of method handles, so that each refusal has one. */
    @Test
    void callSites_linkedAtFirstUse_areOfLambdasAndRecordsOnly() throws IOException {
        Set<String> bootstraps = new TreeSet<>();
        List<Path> files = new ArrayList<>();
        try (Stream<Path> all = Files.walk(ChildJvm.coreClasses())) {
            all.filter(file -> file.toString().endsWith(".class")).forEach(files::add);
        }
        for (Path file : files) {
            for (PoolEntry entry : ClassFile.of().parse(file).constantPool()) {
                if (entry instanceof InvokeDynamicEntry site) {
                    bootstraps.add(
                            site.bootstrap().bootstrapMethod().reference().name().toString());
                }
            }
        }
        assertThat(files).hasSizeGreaterThan(200);
        assertThat(bootstraps).containsExactly("bootstrap", "metafactory");
    }

    /** See {@link ClassPreloader}: none is left to who uses what was opened. */
    @Test
    void classes_withStaticInitialisers_areInitialisedWhenSomethingIsOpened() {
        ChildJvm.Result result =
                ChildJvm.program(
                        List.of(ChildJvm.NATIVE_ACCESS, "-Xlog:class+init=info:stdout:none"),
                        ClassInitProbe.class);
        assertThat(result.out()).as("%s", result.err()).contains("\nused pools\n");
        String[] parts = result.out().split("\nopened\n", -1);
        assertThat(parts).hasSizeGreaterThan(5);
        assertThat(initialised(parts[0])).contains("io/polder/ClassPreloader");
        for (int i = 1; i < parts.length; i++) {
            int end = parts[i].indexOf("\nused ");
            assertThat(initialised(parts[i].substring(0, end)))
                    .as(parts[i].substring(end, end + 10))
                    .isEmpty();
        }
    }

    /** Classes of the library, and none of the tests. */
    private static List<String> initialised(String out) {
        return INITIALISED
                .matcher(out)
                .results()
                .map((MatchResult found) -> found.group(1))
                .filter(name -> Files.exists(ChildJvm.coreClasses().resolve(name + ".class")))
                .toList();
    }
}
