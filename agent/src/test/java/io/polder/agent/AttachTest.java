package io.polder.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** The agent that comes while the program runs. */
class AttachTest {
    @TempDir private Path temporary;
    private LastingProgram program;

    @BeforeEach
    void setUp() throws Exception {
        Path classes = Files.createDirectory(temporary.resolve("classes"));
        Program.compile(classes, Program.LIBRARY, Programs.LASTING);
        program = new LastingProgram(temporary, "-cp", "classes", "example.Lasting");
    }

    @AfterEach
    void tearDown() {
        program.close();
    }

    @Test
    void attach_loadedClass_isRewritten() throws Exception {
        assertThat(program.open()).isEqualTo("ArenaImpl");
        program.attach("");
        assertThat(program.open()).isEqualTo("ConfinedArena");
        assertThat(program.end().errors()).isEmpty();
    }

    @Tag("full")
    @Test
    void attach_again_changesNothing() throws Exception {
        program.attach("pool=confined");
        program.attach("pool=confined");
        program.attach("");
        program.attach("pool=unchanged");
        assertThat(program.open()).isEqualTo("ConfinedArena");
        for (String other : new String[] {"pool=shared", "pool=off"}) {
            assertThatThrownBy(() -> program.attach(other))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(program.open()).isEqualTo("ConfinedArena");
        }
        assertThat(program.end().errors().lines())
                .containsExactly(
                        "polder-agent: the agent is there already: pool=confined",
                        "polder-agent: pooling cannot be switched off: pool=confined");
    }

    @Tag("full")
    @Test
    void attach_afterARefusal_isNotRefused() throws Exception {
        assertThatThrownBy(() -> program.attach("poool"))
                .isInstanceOf(IllegalArgumentException.class);
        program.attach("pool=confined");
        assertThat(program.open()).isEqualTo("ConfinedArena");
    }

    /** That is written last, and would take the place of the census. */
    @Tag("full")
    @Test
    void census_toTheFileOfTheReport_isRefused() throws Exception {
        Path file = temporary.resolve("file.txt");
        program.attach("report=" + file);
        assertThatThrownBy(() -> program.attach("census=" + file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must have a file each");
        program.attach("census=" + temporary.resolve("other.txt"));
        assertThat(program.open()).isEqualTo("CountedArena");
    }

    /** As where several commands attach at once, and the first reads late why it was refused. */
    @Test
    void attach_othersAttachMeanwhile_eachFindsItsOwnRefusal() throws Exception {
        String accepted = "pool=confined,report=" + temporary.resolve("report.txt");
        for (String options : new String[] {"poool", accepted, "pool=off", "pool=shared"}) {
            program.load(options);
        }
        Properties properties = program.properties();
        assertThat(properties.getProperty("polder.agent.refusal.poool")).contains("option=poool");
        assertThat(properties.getProperty("polder.agent.refusal." + accepted)).isNull();
        assertThat(properties.getProperty("polder.agent.refusal.pool=off"))
                .isEqualTo("pooling cannot be switched off: pool=confined");
        assertThat(properties.getProperty("polder.agent.refusal.pool=shared"))
                .isEqualTo("the agent is there already: pool=confined");
        assertThat(properties.getProperty(PolderAgent.REFUSAL))
                .isEqualTo("the agent is there already: pool=confined");
        for (int i = 0; i < PolderAgent.REFUSALS_MAX; i++) {
            program.load("none" + i % (PolderAgent.REFUSALS_MAX - 1));
        }
        assertThat(program.properties().stringPropertyNames())
                .contains("polder.agent.refusal.pool=shared")
                .doesNotContain("polder.agent.refusal.pool=off", "polder.agent.refusal.poool");
    }

    /** The line that the documentation gives for jcmd; the file's name has a blank in it. */
    @Tag("full")
    @Test
    void attach_byJcmd_works() throws Exception {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        assumeTrue(Files.exists(jcmd));
        Path folder = Files.createDirectory(temporary.resolve("a folder"));
        Path jar = Files.copy(Program.AGENT, folder.resolve("polder-agent.jar"));
        assertThat(jcmd(jcmd, Program.AGENT.toString(), "\"pool=confined\""))
                .contains("return code: 0");
        assertThat(program.open()).isEqualTo("ConfinedArena");
        String quoted = "\"" + jar + "\"";
        assertThat(jcmd(jcmd, quoted, "\"pool=unchanged,census.seconds=86400,census=x.txt\""))
                .contains("return code: 0");
        assertThat(program.open()).isEqualTo("CountedArena");
    }

    /** Word for word, by a shell, as readers paste it. */
    @Tag("full")
    @Test
    void attach_byTheLineOfTheDocumentation_works() throws Exception {
        Path jdk = Path.of(System.getProperty("java.home"), "bin");
        assumeTrue(Files.exists(jdk.resolve("jcmd")));
        String line =
                Files.readAllLines(documentation()).stream()
                        .filter(each -> each.startsWith("jcmd 4711 JVMTI.agent_load "))
                        .findFirst()
                        .orElseThrow();
        assertThat(line).contains(" /path/to/polder-agent.jar ", "pool=confined");
        String here =
                line.replace("4711", Long.toString(program.pid()))
                        .replace("/path/to/polder-agent.jar", Program.AGENT.toString());
        Path output = temporary.resolve("line.out");
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", here);
        builder.environment().merge("PATH", jdk.toString(), (old, own) -> own + ":" + old);
        Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(output).content().contains("return code: 0");
        assertThat(program.open()).isEqualTo("ConfinedArena");
        assertThat(program.end().errors()).doesNotContain("assert", "Exception", "polder-agent");
    }

    private static Path documentation() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve("docs/agent.md"))) {
            directory = Objects.requireNonNull(directory.getParent(), "docs/agent.md");
        }
        return directory.resolve("docs/agent.md");
    }

    private String jcmd(Path jcmd, String jar, String options) throws Exception {
        Path output = Files.createTempFile(temporary, "jcmd", ".out");
        Process process =
                new ProcessBuilder(
                                jcmd.toString(),
                                "-J-Dsun.tools.attach.attachTimeout=120000",
                                Long.toString(program.pid()),
                                "JVMTI.agent_load",
                                jar,
                                options)
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        return Files.readString(output);
    }

    @Test
    void attach_wrongOptions_failsAndTheProgramGoesOn() throws Exception {
        assertThatThrownBy(() -> program.attach("poool"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(program.open()).isEqualTo("ArenaImpl");
        assertThat(program.end().errors().lines())
                .singleElement()
                .asString()
                .startsWith("polder-agent: ")
                .contains("option=poool");
    }

    @Tag("full")
    @Test
    void attach_classThatCannotBeLinked_othersAreRewritten() throws Exception {
        program.close();
        Path classes = temporary.resolve("classes");
        Program.compile(classes, classes, Programs.UNLINKED);
        Files.delete(classes.resolve("example/Unlinked$Missing.class"));
        program = new LastingProgram(temporary, "-cp", "classes", "example.Unlinked");
        program.attach("pool=off,census=" + temporary.resolve("census.txt"));
        assertThat(program.open()).isEqualTo("CountedArena");
        program.attach("pool=both");
        assertThat(program.open()).isEqualTo("CountedArena");
        assertThat(program.end().errors()).isEmpty();
        assertThat(temporary.resolve("census.txt"))
                .content()
                .contains("1 left as it is", "example.Unlinked$Uses: java.lang.");
    }

    @Tag("full")
    @Test
    void census_forSomeTime_endsAndLeavesTheProgramAsItWas() throws Exception {
        Path json = temporary.resolve("census.json");
        program.attach("pool=off,census.json=" + json + ",census.seconds=86400");
        assertThat(program.open()).isEqualTo("CountedArena");
        assertThatThrownBy(() -> program.attach("census"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(program.end().exitCode()).isZero();
        assertThat(json).content().contains("\"opened\": 1, \"closed\": 1, \"bytes\": 20");
    }

    /** What takes long in a large program, or on a busy machine. */
    @Tag("full")
    @Test
    void census_classesAreRewrittenSlowly_lastsFromThenOn() throws Exception {
        program.close();
        Path classes = temporary.resolve("classes");
        Program.compile(classes, classes, Programs.SLOWLY_FOUND);
        program = new LastingProgram(temporary, "-cp", "classes", "example.SlowlyFound");
        Path json = temporary.resolve("census.json");
        program.attach("pool=off,census.json=" + json + ",census.seconds=1");
        LastingProgram.awaitFile(json);
        assertThat(json).content().contains("\"rewritten\": [\"example.Lasting\"]");
    }

    @Tag("full")
    @Test
    void census_twice_countsFromNothing() throws Exception {
        Path folder = Files.createDirectory(temporary.resolve("folder"));
        program.attach("pool=off,census.seconds=86400,census.json=" + folder.resolve("1.json"));
        assertThat(program.open()).isEqualTo("CountedArena");
        assertThat(program.open()).isEqualTo("CountedArena");
        Files.delete(folder);
        program.awaitKind("ArenaImpl");
        Path json = temporary.resolve("second.json");
        program.attach("pool=off,census.json=" + json);
        assertThat(program.open()).isEqualTo("CountedArena");
        assertThat(program.end().exitCode()).isZero();
        assertThat(opened(json)).isEqualTo(1);
    }

    @Tag("full")
    @Test
    void census_otherNumberOfSites_isRefused() throws Exception {
        Path json = temporary.resolve("census.json");
        program.attach("pool=off,census.json=" + json + ",census.sites=7,census.seconds=1");
        LastingProgram.awaitFile(json);
        program.awaitKind("ArenaImpl");
        Path again = temporary.resolve("again.json");
        assertThatThrownBy(() -> program.attach("pool=off,census.sites=8,census.json=" + again))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(program.open()).isEqualTo("ArenaImpl");
        program.attach("census.sites=7,census.json=" + again);
        assertThat(program.open()).isEqualTo("CountedArena");
        assertThat(program.end().errors()).contains("census.sites must stay as it is: 7");
        assertThat(opened(again)).isEqualTo(1);
    }

    @Tag("full")
    @Test
    void census_directoryIsGone_endsEarly() throws Exception {
        Path folder = Files.createDirectory(temporary.resolve("exchange"));
        String json = folder.resolve("census.json").toString();
        program.attach("pool=off,census.json=" + json + ",census.seconds=86400");
        assertThat(program.open()).isEqualTo("CountedArena");
        Files.delete(folder);
        program.awaitKind("ArenaImpl");
        assertThat(program.end().errors()).isEmpty();
    }

    /** Else nothing would end it, and no other could ever begin. */
    @Tag("full")
    @Test
    @EnabledOnOs(OS.LINUX)
    void census_noThreadThatEndsIt_isRefusedAndTheNextOneIsNot() throws Exception {
        program.close();
        Path classes = temporary.resolve("classes");
        Program.compile(classes, classes, Programs.THREADLESS);
        program =
                new LastingProgram(
                        temporary,
                        "-Xss512m",
                        "-Xlog:os+thread=off",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        "classes",
                        "example.Threadless");
        program.load("poool"); // while there is a thread that listens
        assertThat(program.open()).isEqualTo("ArenaImpl");
        Path json = temporary.resolve("census.json");
        assertThatThrownBy(() -> program.attach("pool=off,census.seconds=9,census.json=" + json))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none can be started");
        assertThat(program.open()).isEqualTo("ArenaImpl");
        program.attach("pool=off,census.json=" + json);
        assertThat(program.open()).isEqualTo("CountedArena");
    }

    @Test
    void pool_afterCensus_isSwitchedOn() throws Exception {
        Path json = temporary.resolve("census.json");
        Path report = temporary.resolve("report.txt");
        program.attach("pool=off,report=" + report + ",census.json=" + json);
        assertThat(program.open()).isEqualTo("CountedArena");
        program.attach("pool=both");
        assertThat(program.open()).isEqualTo("CountedArena");
        assertThat(program.end().exitCode()).isZero();
        assertThat(opened(json)).isEqualTo(2);
        // Only an arena on the pool needs the library.
        assertThat(report).content().contains("Pool common", "pool=both, library: the agent's");
    }

    @Tag("full")
    @Test
    void pool_whileCounted_isStillOnAfterTheCensus() throws Exception {
        Path folder = Files.createDirectory(temporary.resolve("folder"));
        program.attach("pool=off,census.seconds=86400,census.json=" + folder.resolve("1.json"));
        program.attach("pool=both");
        assertThat(program.open()).isEqualTo("CountedArena");
        Files.delete(folder);
        program.awaitKind("ConfinedArena");
        assertThat(program.end().errors()).isEmpty();
    }

    @Tag("full")
    @Test
    void pool_jarOfTheFirstAttachIsGone_isSwitchedOn() throws Exception {
        Path copy = Files.copy(Program.AGENT, temporary.resolve("copy.jar"));
        program.attach(copy, "pool=unchanged");
        assertThat(program.open()).isEqualTo("ArenaImpl");
        Files.delete(copy);
        program.attach("pool=both");
        assertThat(program.open()).isEqualTo("ConfinedArena");
        assertThat(program.end().errors()).isEmpty();
    }

    private static long opened(Path json) throws Exception {
        JsonNode census = new ObjectMapper().readTree(json.toFile());
        return census.get("confined").get("opened").asLong();
    }
}
