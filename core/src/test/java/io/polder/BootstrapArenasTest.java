package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a process does before it has a common pool, seen from outside. */
@EnabledOnOs(OS.LINUX)
class BootstrapArenasTest {
    @TempDir Path folder = Path.of("replaced by JUnit");

    @Test
    void oneArena_linksNothingAndMakesNoPool() throws IOException {
        List<String> classes = classesLoaded("one");
        assertThat(classes).contains("io.polder.BootstrapArena");
        assertThat(classes)
                .noneMatch(name -> name.startsWith("jdk.internal.foreign.abi.AbstractLinker"))
                .doesNotContain("io.polder.PoolMemory", "io.polder.memory.LinuxCalls");
    }

    /** So that the test above would find it. */
    @Test
    void manyArenas_makeThePoolAndLinkSystemCalls() throws IOException {
        assertThat(classesLoaded("many"))
                .contains(
                        "jdk.internal.foreign.abi.AbstractLinker",
                        "io.polder.PoolMemory",
                        "io.polder.memory.LinuxCalls");
    }

    @Test
    void stats_firstArenas_countWhatTheyHaveWhileTheyAreOpen() {
        assertThat(probe("counted").lines())
                .containsExactly(
                        "reserved=1100 committed=1100 used=1100 capacity=1100",
                        "reserved=1000 committed=1000 used=1000 capacity=1000",
                        "reserved=0 committed=0 used=0 capacity=0",
                        "trimmed=0",
                        "pooled=true");
    }

    /** Threads open arenas of the common pool without a look whether they may have the slab. */
    @Test
    void poolMadeBeforeAnyArena_takesNoSlabFromAThread() {
        assertThat(probe("kept")).isEqualTo("kept=true\n");
    }

    @Test
    void commonPool_notPublishedYet_cannotBeClosed() {
        assertThat(probe("unpublished")).isEqualTo("the common pool cannot be closed\n");
    }

    @Test
    void nothingSet_someAreTheFirst() {
        assertThat(probe("which")).startsWith("first=").isNotEqualTo("first=0\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Dpolder.leaks=off", "--illegal-native-access=deny"})
    void somethingSet_noneIsTheFirst(String flag) {
        String whole = flag.endsWith("=") ? flag + folder.resolve("r.jfr") : flag;
        assertThat(probe("which", whole, "-Xlog:jfr+startup=off")).endsWith("first=0\n");
    }

    @Tag("full")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "-Dpolder.confined.slab.size=16384",
                "-Dpolder.confined.slab.count=8",
                "-XX:StartFlightRecording:settings=none,filename="
            })
    void somethingElseSet_noneIsTheFirst(String flag) {
        somethingSet_noneIsTheFirst(flag);
    }

    /** Arenas disappear although a method that opened the first ones was compiled meanwhile. */
    @Test
    void methodsCompiledEarly_theirArenasTakeNoJavaHeap() {
        assumeTrue(System.getProperty("java.vm.name").contains("Server VM"), "C2 is in it");
        assertThat(probe("slow", "-Xbatch")).isEqualTo("bytes=0\n");
    }

    private List<String> classesLoaded(String what) throws IOException {
        Path log = folder.resolve("classes.log");
        probe(what, "-Xlog:class+load:file=" + log);
        return Files.readAllLines(log).stream()
                .map(line -> line.replaceFirst("^(\\[[^]]*\\])*", "").strip().split(" ", 2)[0])
                .toList();
    }

    private static String probe(String what, String... flags) {
        List<String> all = new ArrayList<>(List.of(flags));
        if (!all.contains("--illegal-native-access=deny")) {
            all.add(ChildJvm.NATIVE_ACCESS);
        }
        ChildJvm.Result result = ChildJvm.program(all, BootstrapArenasProbe.class, what);
        assertThat(result.exitCode()).describedAs("%s", result).isZero();
        return result.out();
    }
}
