package io.polder.arrow.pickup;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The program in the README of Arrow's integration prints what stands below it. */
class ReadmeTest {
    private static final Pattern PROGRAM_AND_OUTPUT =
            Pattern.compile(
                    "^```java\\n(?<program>.*?)^```$.*?^```text\\n(?<output>.*?)^```$",
                    Pattern.DOTALL | Pattern.MULTILINE);

    @Test
    void program_compiledAndRun_printsWhatTheReadmeShows(@TempDir Path folder) throws Exception {
        Path module = Path.of("").toAbsolutePath();
        while (!Files.exists(module.resolve("integrations"))) {
            module = Objects.requireNonNull(module.getParent(), "no checkout");
        }
        Path page = module.resolve("integrations/arrow/README.md");
        Matcher matcher = PROGRAM_AND_OUTPUT.matcher(Files.readString(page));
        assertThat(matcher.find())
                .describedAs("%s has a block ```java, and then a block ```text", page)
                .isTrue();
        Path program = folder.resolve("Vectors.java");
        Files.writeString(program, matcher.group("program"));
        JavaProcess.Result result =
                JavaProcess.run(
                        folder,
                        JavaProcess.ALL_FLAGS,
                        ClassPath.withoutManagers().after(ClassPath.ofTests().polder()),
                        List.of(program.toString()));
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).isEqualTo(matcher.group("output"));
        assertThat(result.exitCode()).isZero();
    }
}
