package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** {@code ./polder run}, which the launcher does itself, with a Java that prints its words. */
@DisabledOnOs(OS.WINDOWS)
class LauncherRunTest {
    private static final int USAGE = 2;
    private static final int NOT_EXECUTABLE = 126;
    private static final int NOT_FOUND = 127;

    @TempDir private Path temporary;
    private LauncherFixture launcher;
    private String java = "";
    private String agent = "";

    @BeforeEach
    void setUp() throws IOException {
        launcher = new LauncherFixture(temporary.resolve("a checkout"));
        Path home = launcher.jdk("two", "25");
        launcher.set("JAVA_HOME", home);
        launcher.set("LC_ALL", "C");
        java = home.resolve("bin/java").toString();
        agent = "-javaagent:" + launcher.path("agent/target/launcher/polder-agent.jar");
    }

    private LauncherFixture.Result run(String... words) throws Exception {
        String[] all = new String[words.length + 1];
        all[0] = "run";
        System.arraycopy(words, 0, all, 1, words.length);
        return launcher.run(all);
    }

    @Test
    void command_getsTheAgentAndItsArgumentsAsTheyAre() throws Exception {
        LauncherFixture.Result result = run(java, "-cp", "a b", "", "*", "--report", "@x");
        assertThat(result.output())
                .endsWith("\n[" + agent + "]\n[-cp]\n[a b]\n[]\n[*]\n[--report]\n[@x]\n");
        assertThat(result.exitCode()).isZero();
        assertThat(launcher.built()).containsExactly("agent");
    }

    @Test
    void options_areThoseOfTheAgent() throws Exception {
        LauncherFixture.Result result =
                run(
                        "--report",
                        "--pool=both",
                        "--include",
                        "a.*",
                        "--include=b.**",
                        "--exclude=c",
                        "--census",
                        "--json=c%p.json",
                        "--",
                        java);
        String options = "report,pool=both,census,census.json=c%p.json,include=a.*:b.**,exclude=c";
        assertThat(result.output()).endsWith("[" + agent + "=" + options + "]\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--json", "--json=-"})
    void json_withoutFile_isOnStandardOutput(String option) throws Exception {
        assertThat(run(option, java, "x").output())
                .endsWith("[" + agent + "=census.json=/dev/stdout]\n[x]\n");
    }

    @Test
    void json_behindABlank_isAFileIfNamedAsOne() throws Exception {
        assertThat(run("--json", "a b.json", "--census", java, "x").output())
                .endsWith("[" + agent + "=census.json=a b.json,census]\n[x]\n");
        assertThat(run("--json", "--exclude=a.json", java, "x").output())
                .endsWith("[" + agent + "=census.json=/dev/stdout,exclude=a.json]\n[x]\n");
    }

    @Test
    void textWithFile_isInTheFile() throws Exception {
        assertThat(run("--report=r%p.txt", "--census=-", java, "x").output())
                .endsWith("[" + agent + "=report=r%p.txt,census=/dev/stdout]\n[x]\n");
        assertThat(run("--census=c.txt", "--report=-", java).output())
                .endsWith("[" + agent + "=census=c.txt,report=/dev/stdout]\n");
    }

    @Test
    void command_isTheProcessThatWasStarted_andHasItsExitCode() throws Exception {
        launcher.set("FAKE_EXIT", "42");
        run(java);
        Process process = launcher.start("run", java);
        assertThat(process.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(42);
        assertThat(launcher.lastOutput()).contains("\nprocess " + process.pid() + "\n");
    }

    @Test
    void bareJava_isTheOneOnThePath() throws Exception {
        launcher.putOnPath(launcher.jdk("three", "26"));
        assertThat(run("java").output()).contains("java of three");
    }

    @Test
    void bareJava_tooOldOrMissing_isTheLaunchers() throws Exception {
        LauncherFixture.Result missing = run("java");
        assertThat(missing.output()).contains("java of two");
        assertThat(missing.errors()).contains("no java on the PATH; using " + java);
        launcher.putOnPath(launcher.jdk("old", "17.0.1"));
        LauncherFixture.Result old = run("java");
        assertThat(old.output()).contains("java of two");
        assertThat(old.errors()).contains("is Java 17.0.1; using " + java);
    }

    @Test
    void namedJava_tooOld_isRefused() throws Exception {
        LauncherFixture.Result result =
                run(launcher.jdk("old", "17.0.1").resolve("bin/java").toString());
        assertThat(result.exitCode()).isEqualTo(USAGE);
        assertThat(result.errors()).contains("Java must be 25 or newer", "17.0.1");
    }

    @Test
    void namedJava_ofUnknownVersion_isTaken() throws Exception {
        Path home = launcher.jdk("custom", "25");
        Files.delete(home.resolve("release"));
        assertThat(run(home.resolve("bin/java").toString()).output()).contains("java of custom");
    }

    @Test
    void noJava_hasTheExitCodesOfAShell() throws Exception {
        LauncherFixture.Result missing = run("nowhere/java");
        assertThat(missing.exitCode()).isEqualTo(NOT_FOUND);
        assertThat(missing.errors()).contains("there is no nowhere/java");
        Path file = Files.createFile(launcher.path("java"));
        LauncherFixture.Result plain = run(file.toString());
        assertThat(plain.exitCode()).isEqualTo(NOT_EXECUTABLE);
        assertThat(plain.errors()).contains("cannot be executed: " + file);
        LauncherFixture.Result directory =
                run(Files.createDirectories(launcher.path("d/java")).toString());
        assertThat(directory.exitCode()).isEqualTo(NOT_EXECUTABLE);
        assertThat(launcher.builds()).isZero();
    }

    @Test
    void wrongCommandLine_saysWhyAndBuildsNothing() throws Exception {
        assertWrong("Missing required parameter: 'java ARGUMENT'");
        assertWrong("Missing required parameter for option '--pool'", "--pool");
        assertWrong("Unknown option: '--foo'", "--foo", java);
        assertWrong("without comma and semicolon: --include=a,b", "--include", "a,b", java);
        assertWrong("without comma and semicolon: --json=", "--json=", java);
        assertWrong("command=mvn. For a script", "mvn", "verify");
        assertWrong("JDK_JAVA_OPTIONS=" + agent, "mvn", "verify");
        assertThat(launcher.builds()).isZero();
    }

    private void assertWrong(String message, String... words) throws Exception {
        LauncherFixture.Result result = run(words);
        assertThat(result.exitCode()).isEqualTo(USAGE);
        assertThat(result.errors()).contains(message);
        assertThat(result.output()).isEmpty();
    }

    @Test
    void leaks_arePassedOn() throws Exception {
        assertThat(run("--leaks=all", java).output()).endsWith("[" + agent + "=leaks=all]\n");
        assertThat(run("--leaks", "sampled", java).output())
                .endsWith("[" + agent + "=leaks=sampled]\n");
    }

    /** The help is a page, and what was wrong would be far above it. */
    @Test
    void wrongCommandLine_isSaidInTwoLines() throws Exception {
        assertThat(run("--foo", java).errors())
                .isEqualTo("polder run: Unknown option: '--foo'\nTry 'polder run --help'.\n");
    }

    @Test
    void helpAndVersion_areThoseOfTheTools() throws Exception {
        assertThat(run("--pool=off", "--help", "java").output())
                .endsWith("[io.polder.tools.Main]\n[run]\n[--help]\n");
        assertThat(run("-V").output()).endsWith("[io.polder.tools.Main]\n[run]\n[-V]\n");
        assertThat(launcher.run("help", "run").output())
                .endsWith("[io.polder.tools.Main]\n[run]\n[--help]\n");
        assertThat(launcher.built()).containsExactly("tools");
    }
}
