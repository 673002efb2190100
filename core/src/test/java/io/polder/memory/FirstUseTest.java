package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What the first use of memory sets in motion, told from the classes that a fresh JVM loads: a
 * program that starts often pays for each of them.
 */
@EnabledOnOs(OS.LINUX)
class FirstUseTest {

    private static final String LINKER = "jdk.internal.foreign.abi.AbstractLinker ";
    private static final String STRING_CONCAT = "java.lang.invoke.StringConcatFactory ";
    private static final String PROCESS_HANDLE = "java.lang.ProcessHandleImpl ";
    private static final String FILES = "java.nio.file.Files ";

    @TempDir Path folder = Path.of("replaced by JUnit");

    /** Runs in the fresh JVM. */
    static final class Program {
        public static void main(String[] args) {
            MemoryProvider provider = Providers.choose().provider();
            for (String step : args) {
                switch (step) {
                    case "reserve" -> provider.reserve(1 << 20, 1 << 20);
                    case "limits" -> provider.maxMapCount();
                    default -> throw new IllegalArgumentException(step);
                }
            }
        }
    }

    @Test
    void choose_only_linksNothingAndReadsNoLimit() throws Exception {
        assertThat(classesLoadedBy())
                .contains(name(LinuxMemoryProvider.class))
                .doesNotContain(LINKER, STRING_CONCAT, PROCESS_HANDLE, FILES);
    }

    @Test
    void reserve_first_linksAndReadsNoLimit() throws Exception {
        assertThat(classesLoadedBy("reserve"))
                .contains(LINKER)
                .doesNotContain(STRING_CONCAT, PROCESS_HANDLE, FILES);
    }

    @Test
    void limits_first_areReadWithoutTheLinker() throws Exception {
        assertThat(classesLoadedBy("limits")).contains(FILES).doesNotContain(LINKER);
    }

    private static String name(Class<?> type) {
        return type.getName() + " ";
    }

    /** The log of a JVM that ran the program: a line for each class, its name behind the tags. */
    private String classesLoadedBy(String... steps)
            throws IOException, InterruptedException, URISyntaxException {
        Path log = folder.resolve("classes.log");
        Path output = folder.resolve("output.txt");
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "--enable-native-access=ALL-UNNAMED",
                                "-Xlog:class+load:file=" + log,
                                "-cp",
                                home(Providers.class) + File.pathSeparator + home(Program.class),
                                Program.class.getName()));
        command.addAll(List.of(steps));
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).describedAs(Files.readString(output)).isZero();
        return Files.readString(log);
    }

    private static Path home(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }
}
