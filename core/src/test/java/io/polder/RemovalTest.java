package io.polder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Do compilers remove arenas that do not leave the method that opened them? */
class RemovalTest {
    @Test
    void compiledMethod_itsArenas_takeNoJavaHeap() {
        assumeTrue(System.getProperty("java.vm.name").contains("Server VM"), "C2 is in it");
        ChildJvm.Result result = probe("-Xbatch");
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).isEqualTo("one=0 grown=0 nested=0" + System.lineSeparator());
    }

    /**
     * Nor does one that could have been tracked, but was not. Of the few that are, more on a busy
     * machine, a part comes upon each; one that is not removed takes more than a hundred bytes.
     */
    @Tag("full")
    @Test
    void compiledMethod_leakDetectionSamples_itsArenaTakesNoJavaHeap() {
        assumeTrue(System.getProperty("java.vm.name").contains("Server VM"), "C2 is in it");
        ChildJvm.Result result = probe("-Xbatch", "-Dpolder.leaks=sampled");
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).matches("one=\\d{1,2} grown=\\d{1,2} nested=\\d+\\s*");
    }

    /** Nor does one in a program that grows, nests, refuses, and has threads of both kinds. */
    @Tag("full")
    @Test
    void compiledMethod_afterEverythingElse_itsArenaTakesNoJavaHeap() {
        assumeTrue(System.getProperty("java.vm.name").contains("Server VM"), "C2 is in it");
        ChildJvm.Result result = probe(List.of("mixed"), "-Xbatch");
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).startsWith("one=0 grown=0 ");
    }

    /** Calls are not inlined whose signature names a class that is not loaded. */
    @Tag("full")
    @Test
    void start_withoutLeakDetection_hasLoadedWhatSignaturesOfArenasName() {
        String out = probe("-Xlog:class+load").out();
        assertThat(out)
                .containsSubsequence("io.polder.leak.LeakTracker", "io.polder.arena.ConfinedArena");
    }

    private static ChildJvm.Result probe(String... options) {
        return probe(List.of(), options);
    }

    private static ChildJvm.Result probe(List<String> what, String... options) {
        List<String> arguments = new ArrayList<>(Arrays.asList(options));
        arguments.add(ChildJvm.NATIVE_ACCESS);
        return ChildJvm.program(arguments, RemovalProbe.class, what.toArray(String[]::new));
    }
}
