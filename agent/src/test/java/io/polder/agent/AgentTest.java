package io.polder.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.agent.Program.Result;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.DataInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/** The agent's jar in JVMs of their own, with real programs. */
class AgentTest extends ProgramFixture {
    /** Compiles the program of all forms without the library, and runs it. */
    private Result forms(String options, String... flags) throws Exception {
        Program.compile(classes, Program.LIBRARY, Programs.FORMS);
        return program.run(List.of(flags), options, "-cp", "classes", "example.Forms");
    }

    /** Compiles a program that uses the library, and runs it with that on its class path. */
    private Result onClassPath(String flag) throws Exception {
        Program.compile(classes, Program.LIBRARY, Programs.WITH_LIBRARY);
        String path = Program.path(classes, Program.LIBRARY);
        return program.run(List.of(flag), "", "-cp", path, "example.WithLibrary").succeeds();
    }

    /** Compiles a program as a module, and runs it with the library on its module path. */
    private Result module(String options, List<String> flags) throws Exception {
        Program.compileModule(
                classes, "module example { requires io.polder; }", Programs.WITH_LIBRARY);
        String path = Program.path(classes, Program.LIBRARY);
        return program.run(flags, options, "-p", path, "-m", "example/example.WithLibrary")
                .succeeds();
    }

    /** Compiles a program that logs while it opens arenas, and runs it. */
    private Result logging(String... flags) throws Exception {
        Program.compile(classes, Program.LIBRARY, Programs.LOGGER);
        Path services = Files.createDirectories(classes.resolve("META-INF/services"));
        Files.writeString(
                services.resolve("java.lang.System$LoggerFinder"), "example.Logging$Finder");
        return program.run(List.of(flags), "pool=both", "-cp", "classes", "example.Logging")
                .succeeds();
    }

    @Test
    void classPath_allForms_arePooledAndNothingIsPrinted() throws Exception {
        Result result = forms("pool=both").succeeds();
        assertThat(result.lines()).containsExactly(Programs.FORMS_POOLED);
        assertThat(result.errors()).isEmpty();
    }

    @Test
    void noAgent_allForms_areOfTheJdk() throws Exception {
        Result result = forms("none").succeeds();
        assertThat(result.lines()).containsExactly(Programs.FORMS_OF_JDK);
    }

    @Test
    void modulePath_allForms_arePooled() throws Exception {
        Program.compile(classes, Program.LIBRARY, "module example {}", Programs.FORMS);
        Result result =
                program.run("pool=both", "-p", "classes", "-m", "example/example.Forms").succeeds();
        assertThat(result.lines()).containsExactly(Programs.FORMS_POOLED);
        assertThat(result.errors()).isEmpty();
    }

    @Tag("full")
    @Test
    void loaderThatHidesAllButTheJdk_allForms_arePooled() throws Exception {
        Program.compile(classes, Program.LIBRARY, Programs.ISOLATED);
        Path hidden = Files.createDirectory(temporary.resolve("hidden"));
        Program.compile(hidden, Program.LIBRARY, Programs.FORMS);
        Result result =
                program.run("pool=both", "-cp", "classes", "launcher.Isolated", "hidden/")
                        .succeeds();
        assertThat(result.lines()).containsExactly(Programs.FORMS_POOLED);
    }

    @Test
    void nativeAccessDenied_isGivenToTheLibraryAlone() throws Exception {
        Result result = forms("pool=both", "--illegal-native-access=deny").succeeds();
        assertThat(result.lines()).containsExactly(Programs.FORMS_POOLED);
        assertThat(result.errors()).isEmpty();
    }

    @Tag("full")
    @Test
    void programWithLibraryOnClassPath_sharesItsPool() throws Exception {
        Result result = onClassPath("--enable-native-access=ALL-UNNAMED");
        assertThat(result.lines()).containsExactly("one pool", "pooled=true");
        assertThat(result.errors()).isEmpty();
    }

    @Tag("full")
    @Test
    void programWithLibraryOnModulePath_sharesItsPoolAndNeedsNoFlag() throws Exception {
        Result result = module("", List.of("--illegal-native-access=deny"));
        assertThat(result.lines()).containsExactly("one pool", "pooled=true");
        assertThat(result.errors()).isEmpty();
    }

    @Tag("full")
    @Test
    void programWithLibraryOnClassPathDenied_saysWhichFlagIsMissing() throws Exception {
        Result result = onClassPath("--illegal-native-access=deny");
        assertThat(result.lines()).containsExactly("one pool", "pooled=false");
        assertThat(result.errors()).contains("--enable-native-access=ALL-UNNAMED");
    }

    @Test
    void pool_confined_leavesSharedArenas() throws Exception {
        Result result = forms("pool=confined").succeeds();
        assertThat(result.lines())
                .contains("call: io.polder ConfinedArena", "shared call: java.base ArenaImpl")
                .contains("shared reference: java.base ArenaImpl");
    }

    @Tag("full")
    @Test
    void poolNotSaid_leavesSharedArenas() throws Exception {
        Result result = forms("").succeeds();
        assertThat(result.lines())
                .contains("call: io.polder ConfinedArena", "shared call: java.base ArenaImpl");
    }

    @Test
    void pool_off_changesNothing() throws Exception {
        Result result = forms("pool=off").succeeds();
        assertThat(result.lines()).containsExactly(Programs.FORMS_OF_JDK);
    }

    @Tag("full")
    @Test
    void exclude_matchingClass_staysAsItIs() throws Exception {
        Result excluded = forms("exclude=example.**").succeeds();
        assertThat(excluded.lines()).containsExactly(Programs.FORMS_OF_JDK);
        Result included =
                program.run(
                                "pool=both,include=other.*:exa*.For*",
                                "-cp",
                                "classes",
                                "example.Forms")
                        .succeeds();
        assertThat(included.lines()).containsExactly(Programs.FORMS_POOLED);
    }

    @Test
    void agentTwice_sameOptions_isThereOnce() throws Exception {
        Result result = forms("pool=both", "-javaagent:" + Program.AGENT + "=pool=both").succeeds();
        assertThat(result.lines()).containsExactly(Programs.FORMS_POOLED);
    }

    @Test
    void report_atTheEnd_goesToStandardErrorWithWhatWasLeft() throws Exception {
        Result result = forms("pool=both,report").succeeds();
        assertThat(result.lines()).containsExactly(Programs.FORMS_POOLED);
        assertThat(result.errors())
                .contains("Pool common", "library: the agent's, module io.polder")
                .contains("1 class rewritten, 1 left as it is")
                .contains("example.Forms: method references that can be serialised");
    }

    @Tag("full")
    @Test
    void report_toFile_hasTheProcessInItsName() throws Exception {
        Result result = forms("report=pool-%p.txt").succeeds();
        assertThat(result.errors()).isEmpty();
        try (var files = Files.list(temporary)) {
            List<Path> reports =
                    files.filter(file -> file.getFileName().toString().matches("pool-\\d+.txt"))
                            .toList();
            assertThat(reports).hasSize(1);
            assertThat(reports.getFirst()).content().startsWith("Pool common");
        }
    }

    @Tag("full")
    @Test
    void loggerThatOpensArenas_whileThePoolIsNew_isServedBesideTheProgram() throws Exception {
        Result result = logging("-Dpolder.confined.slab.size=3");
        // It runs in a thread of its own: nothing says whether before the program's first arena.
        assertThat(result.lines()).containsSubsequence("ConfinedArena", "SharedArena").hasSize(3);
        assertThat(result.lines()).filteredOn(line -> line.startsWith("logged ")).hasSize(1);
    }

    @Tag("full")
    @Test
    void loggerThatOverflowsTheStack_arenasArePooledAllTheSame() throws Exception {
        Result result = logging("-Dpolder.confined.slab.size=3", "-Doverflow=true");
        assertThat(result.lines()).containsExactly("ConfinedArena", "SharedArena");
        assertThat(result.errors()).doesNotContain("not pooled");
    }

    /** Runs the program of all forms with a copy of the agent that it changes first. */
    private Result withoutJar(String change) throws Exception {
        Path jar = Files.copy(Program.AGENT, temporary.resolve("copy.jar"));
        Program.compile(classes, Program.LIBRARY, Programs.FORMS, Programs.CHANGES_A_FILE);
        return program.run(
                        List.of("-javaagent:" + jar + "=pool=both"),
                        "none",
                        "-cp",
                        "classes",
                        "example.Changes",
                        jar.toString(),
                        change)
                .succeeds();
    }

    @Test
    void agentsJar_deletedBeforeTheFirstArena_arenasArePooledAllTheSame() throws Exception {
        Result result = withoutJar("delete");
        assertThat(result.lines()).containsExactly(Programs.FORMS_POOLED);
        assertThat(result.errors()).isEmpty();
    }

    @Tag("full")
    @Test
    void agentsJar_overwrittenBeforeTheFirstArena_isSaidOnce() throws Exception {
        Result result = withoutJar("empty");
        assertThat(result.lines()).containsExactly(Programs.FORMS_OF_JDK);
        assertThat(result.errors().lines())
                .singleElement()
                .asString()
                .startsWith("polder-agent: classes cannot be rewritten: ");
    }

    /** The rule: no silence. Nothing is decided where the stack ends, or a line says what is. */
    @Tag("full")
    @ParameterizedTest
    @ValueSource(strings = {"-Xint", "-Xint -Xss300k", "-Xss300k", "-Xss1m"})
    void firstArenas_whereTheStackEnds_ofThePoolSoonOrSaid(String flags) throws Exception {
        Program.compile(classes, Program.LIBRARY, Programs.DEEP);
        Result result =
                program.run(List.of(flags.split(" ")), "", "-cp", "classes", "example.Deep")
                        .succeeds();
        List<String> said =
                result.errors().lines().filter(line -> line.startsWith("polder-agent: ")).toList();
        assertThat(result.lines())
                .containsExactly(said.isEmpty() ? "ConfinedArena" : "ArenaImpl", "[]");
        assertThat(said).hasSizeLessThanOrEqualTo(1);
        if (flags.contains("-Xint")) {
            assertThat(said).isEmpty();
        }
    }

    /** As when parts of two versions are on one class path, or a file is damaged. */
    @Tag("full")
    @Test
    void libraryThatCannotBeInitialised_arenasAreOfTheJdk_andThatIsSaidOnce() throws Exception {
        Program.compile(classes, Program.LIBRARY, Programs.BROKEN_PART, Programs.FORMS);
        String path = Program.path(classes, Program.LIBRARY);
        List<String> flag = List.of("--enable-native-access=ALL-UNNAMED");
        Result result = program.run(flag, "report", "-cp", path, "example.Forms").succeeds();
        assertThat(result.lines()).containsExactly(Programs.FORMS_OF_JDK);
        assertThat(result.errors().lines())
                .filteredOn(line -> line.contains("the library cannot be used"))
                .singleElement()
                .asString()
                .startsWith("polder-agent: arenas are the JDK's, not pooled: ")
                .contains("ExceptionInInitializerError")
                .contains("broken for a test");
        assertThat(result.errors()).contains("there is no library: ");
    }

    @Tag("full")
    @Test
    void poolSwitchedOnLater_programsModule_needsNoFlag() throws Exception {
        List<String> later =
                List.of(
                        "--illegal-native-access=deny",
                        "-javaagent:" + Program.AGENT + "=pool=both");
        Result result = module("pool=off", later);
        assertThat(result.lines()).containsExactly("one pool", "pooled=true");
        assertThat(result.errors()).isEmpty();
    }

    @Tag("full")
    @Test
    void report_programThatUsesTheLibraryItself_isOfItsPool() throws Exception {
        Program.compile(classes, Program.LIBRARY, Programs.LIBRARY_ALONE);
        String path = Program.path(classes, Program.LIBRARY);
        List<String> flag = List.of("--enable-native-access=ALL-UNNAMED");
        Result result = program.run(flag, "report", "-cp", path, "example.LibraryAlone").succeeds();
        assertThat(result.errors())
                .contains("Pool common", "No rewritten call opened an arena on the pool")
                .contains("library: the program's, on the class path");
    }

    /**
     * The rule: all pools of the JVM, as who looks from outside is shown them; but of the agent's
     * own copy only if it is used.
     */
    @ParameterizedTest
    @ValueSource(strings = {"open", "first", "none"})
    void report_copiesOfTheLibraryInOtherLoaders_isOfTheirPoolsToo(String arenas) throws Exception {
        Program.compile(classes, Path.of("."), Programs.COPIES);
        Path hidden = Files.createDirectory(temporary.resolve("hidden"));
        Program.compile(hidden, Program.LIBRARY, Programs.LIBRARY_ALONE);
        Result result =
                program.run(
                                List.of("--enable-native-access=ALL-UNNAMED"),
                                "report",
                                "-cp",
                                "classes",
                                "launcher.Copies",
                                hidden.toString(),
                                Program.LIBRARY.toString(),
                                arenas)
                        .succeeds();
        String title =
                "Of another copy of the library, which the agent does not use;"
                        + " its class loader is launcher.Copies$WebApplication:";
        List<String> lines = result.errors().lines().toList();
        assertThat(lines).filteredOn(line -> line.equals(title)).hasSize(2);
        assertThat(lines)
                .filteredOn(line -> line.startsWith("Pool common"))
                .hasSize(arenas.equals("open") ? 3 : 2);
        assertThat(lines.getFirst()).startsWith(arenas.equals("open") ? "Pool common" : title);
    }

    @Tag("full")
    @Test
    void malformedClass_isLeftToTheJvmAndCounted() throws Exception {
        Program.compile(classes, Program.LIBRARY, Programs.FORMS);
        Path file = classes.resolve("example/Forms.class");
        byte[] bytes = Files.readAllBytes(file);
        Files.write(file, java.util.Arrays.copyOf(bytes, bytes.length - 40));
        Result result = program.run("pool=both,report", "-cp", "classes", "example.Forms");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.errors())
                .contains("ClassFormatError")
                .contains("0 classes rewritten, 1 left as it is", "example.Forms: java.lang.");
    }

    @Test
    void options_wrong_endTheStartWithOneLine() throws Exception {
        Result result = forms("pool=yes");
        assertThat(result.exitCode()).isEqualTo(PolderAgent.EXIT_OPTIONS);
        assertThat(result.output()).isEmpty();
        assertThat(result.errors().strip())
                .isEqualTo(
                        "polder-agent: pool must be confined, shared, both, off or unchanged:"
                                + " pool=yes");
    }

    /** Else an older JVM would abort before the agent can say that it needs a newer one. */
    @ParameterizedTest
    @ValueSource(strings = {"Premain-Class", "Agent-Class"})
    void entry_ofTheJar_isReadByOlderJava(String attribute) throws Exception {
        try (JarFile jar = new JarFile(Program.AGENT.toFile())) {
            String entry = jar.getManifest().getMainAttributes().getValue(attribute);
            ZipEntry file = jar.getEntry(entry.replace('.', '/') + ".class");
            try (DataInputStream in = new DataInputStream(jar.getInputStream(file))) {
                assertThat(in.readInt()).isEqualTo(0xCAFEBABE);
                assertThat(in.readUnsignedShort()).isZero();
                assertThat(in.readUnsignedShort()).isEqualTo(44 + 11);
            }
        }
    }

    @Test
    void exitCode_ofTheProgram_stays() throws Exception {
        Program.compile(
                classes,
                Program.LIBRARY,
                """
                package example;
                public class Exits {
                    public static void main(String[] arguments) {
                        System.exit(42);
                    }
                }
                """);
        Result result = program.run("report,census", "-cp", "classes", "example.Exits");
        assertThat(result.exitCode()).isEqualTo(42);
        assertThat(result.output()).isEmpty();
        assertThat(result.errors())
                .contains("No arena was opened", "No rewritten call opened an arena")
                .contains("For a loop in main", "polder run --census java")
                .contains("Arenas of MemoryPool are not counted");
    }
}
