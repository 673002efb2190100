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
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The programs in the README and in pages about a part print what stands below them. */
class ReadmeTest {
    /** The first block of Java, and the block of text that comes next. */
    private static final Pattern PROGRAM_AND_OUTPUT =
            Pattern.compile(
                    "^```java\\n(?<program>.*?)^```$.*?^```text\\n(?<output>.*?)^```$",
                    Pattern.DOTALL | Pattern.MULTILINE);

    @Test
    void firstProgram_compiledAndRun_printsWhatTheReadmeShows(@TempDir Path directory)
            throws IOException {
        runFirstProgram(ChildJvm.repository().resolve("README.md"), directory, "Readme.java");
    }

    /** On Linux: what some of them print is said of its memory. */
    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"blocks", "heap", "limits", "observe"})
    @EnabledOnOs(OS.LINUX)
    void firstProgram_ofAPage_printsWhatThePageShows(String page, @TempDir Path directory)
            throws IOException {
        Path file = ChildJvm.repository().resolve("docs/" + page + ".md");
        runFirstProgram(file, directory, "Example.java");
    }

    private static void runFirstProgram(Path page, Path directory, String name) throws IOException {
        Matcher matcher = PROGRAM_AND_OUTPUT.matcher(Files.readString(page));
        assertThat(matcher.find())
                .describedAs("%s has a block ```java, and then a block ```text", page)
                .isTrue();
        Path program = directory.resolve(name);
        Files.writeString(program, matcher.group("program"));
        assumeTrue(
                ModuleFinder.ofSystem().find("jdk.compiler").isPresent(), "no JDK, so no compiler");
        ChildJvm.Result result =
                ChildJvm.java(
                        List.of(
                                ChildJvm.NATIVE_ACCESS,
                                "-cp",
                                ChildJvm.coreClasses().toString(),
                                program.toString()));
        assertThat(result.err()).isEmpty();
        assertThat(result.out().strip()).isEqualTo(matcher.group("output").strip());
        assertThat(result.exitCode()).isZero();
    }
}
