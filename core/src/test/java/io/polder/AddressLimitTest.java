package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A process whose address space is limited, as by {@code ulimit -v}, asks for more than there is:
 * it gets an error that it can catch, and lives. See {@link AddressLimitProbe}.
 */
@EnabledOnOs(OS.LINUX)
class AddressLimitTest {
    /** So that the JVM takes about as much of the limit on any machine. */
    private static final String FLAGS =
            "-Xmx128m -XX:+UseSerialGC -XX:CompressedClassSpaceSize=64m"
                    + " -XX:ReservedCodeCacheSize=64m -XX:-CreateCoredumpOnCrash";

    @ParameterizedTest
    @CsvSource({"arenas, 1300000", "large, 1300000", "pools, 1300000"})
    void allocate_allThereIs_failsAndTheProcessLives(String what, long limitKib) throws Exception {
        assertThat(run(what, limitKib))
                .contains("exhausted: true")
                .contains("again: ok")
                .contains("virtual thread: ok")
                .contains("outside: ok")
                .endsWith("exit=0");
    }

    @Tag("full")
    @ParameterizedTest
    @CsvSource("arenas, 2000000")
    void allocate_allThereIsOfMore_failsAndTheProcessLives(String what, long limitKib)
            throws Exception {
        allocate_allThereIs_failsAndTheProcessLives(what, limitKib);
    }

    /** Room to grow in place is for who has addresses. */
    @Test
    void reallocate_manyBlocks_takesNoAddressesToGrow() throws Exception {
        assertThat(run("blocks", 1_300_000)).contains("grown: ok").endsWith("exit=0");
    }

    private static String run(String what, long limitKib) throws IOException, InterruptedException {
        Path output = Files.createTempFile("polder", ".out");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String path = ChildJvm.coreClasses() + File.pathSeparator + ChildJvm.testClasses();
        ProcessBuilder shell =
                new ProcessBuilder(
                        "sh",
                        "-c",
                        "ulimit -v "
                                + limitKib
                                + " && exec \""
                                + java
                                + "\" "
                                + FLAGS
                                + " --enable-native-access=ALL-UNNAMED -cp \""
                                + path
                                + "\" "
                                + AddressLimitProbe.class.getName()
                                + " "
                                + what);
        shell.environment().keySet().removeIf(name -> name.endsWith("JAVA_OPTIONS"));
        shell.environment().remove("JAVA_TOOL_OPTIONS");
        // Else the C library takes 64 MiB for each of many threads.
        shell.environment().put("MALLOC_ARENA_MAX", "1");
        Process process = shell.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        String text = Files.readString(output);
        Files.delete(output);
        return text + "exit=" + process.exitValue();
    }
}
