package io.polder.tools.attach;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Which words of a command line and an environment are the JVM's. */
class JvmOptionsTest {
    private static final String OPTION = "-XX:+DisableAttachMechanism";

    @TempDir private Path proc;

    @ParameterizedTest
    @CsvSource({
        "java FORBID Main, true",
        "java -cp . FORBID Main, true",
        "java --add-opens java.base/java.lang=ALL-UNNAMED FORBID Main, true",
        "java --enable-preview FORBID -jar a.jar, true",
        "java Main FORBID, false",
        "java -cp . Main FORBID, false",
        "java --enable-preview Main FORBID, false",
        "java --module-path . -m a/a.Main FORBID, false",
    })
    void have_commandLine_isTheJvmsUpToTheMainClass(String command, boolean has)
            throws IOException {
        assertThat(options(command, "").have(OPTION)).isEqualTo(has);
    }

    @ParameterizedTest
    @CsvSource({
        "java Main, JAVA_TOOL_OPTIONS=FORBID, true",
        "java -XX:-DisableAttachMechanism Main, JAVA_TOOL_OPTIONS=FORBID, false",
        "java -XX:-DisableAttachMechanism Main, _JAVA_OPTIONS=FORBID, true",
        "java FORBID Main, _JAVA_OPTIONS=-XX:-DisableAttachMechanism, false",
    })
    void have_severalPlaces_theLastOneCounts(String command, String environment, boolean has)
            throws IOException {
        assertThat(options(command, environment).have(OPTION)).isEqualTo(has);
    }

    private JvmOptions options(String command, String environment) throws IOException {
        String words = command.replace("FORBID", OPTION).replace(' ', '\0');
        Files.writeString(proc.resolve("cmdline"), words);
        Files.writeString(proc.resolve("environ"), environment.replace("FORBID", OPTION));
        return JvmOptions.of(proc);
    }
}
