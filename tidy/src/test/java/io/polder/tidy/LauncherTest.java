package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Runs the launcher in a made-up checkout, with a made-up Maven and made-up JDKs. */
@DisabledOnOs(OS.WINDOWS)
class LauncherTest {

    private static final int NO_JDK = 3;
    private static final int NO_BUILD = 4;

    @TempDir private Path temporary;
    private LauncherFixture launcher;

    @BeforeEach
    void setUp() throws IOException {
        launcher = new LauncherFixture(temporary.resolve("a checkout"));
    }

    @Test
    void help_asAWord_isTheOption() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("one", "25"));
        assertThat(launcher.run("help").output()).endsWith("Main]\n[--help]\n");
        assertThat(launcher.run("help", "--help").output()).endsWith("Main]\n[--help]\n");
        assertThat(launcher.run("help", "top").output()).endsWith("Main]\n[top]\n[--help]\n");
    }

    @Test
    void jdk_polderJavaHome_isFirst() throws Exception {
        launcher.set("POLDER_JAVA_HOME", launcher.jdk("one", "25.0.3"));
        launcher.set("JAVA_HOME", launcher.jdk("two", "26"));
        assertThat(launcher.run().output()).contains("java of one");
    }

    @Test
    void javaHome_asked_isPrintedAndNothingRuns() throws Exception {
        Path home = launcher.jdk("one", "25.0.3");
        launcher.set("JAVA_HOME", home);
        assertThat(launcher.run("--java-home").output().strip()).isEqualTo(home.toString());
    }

    /** What the launcher prints itself, as what the commands do. */
    @Test
    @EnabledOnOs(OS.LINUX) // has a device that is always full
    void output_thatCannotBeWritten_isAnError() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("one", "25.0.3"));
        LauncherFixture.Result result = launcher.shell("exec ./polder --java-home >/dev/full");
        assertThat(result.errors()).isEqualTo("polder: standard output could not be written\n");
        assertThat(result.exitCode()).isEqualTo(5);
    }

    @Test
    void jdk_javaHome_isBeforePath() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "26"));
        launcher.putOnPath(launcher.jdk("three", "25"));
        launcher.jdk("jvm/four", "25");
        launcher.set("POLDER_SEARCH_PATH", launcher.path("jvm"));
        assertThat(launcher.run().output()).contains("java of two");
    }

    @Test
    void jdk_path_isBeforeInstalledOnes() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "17.0.15"));
        launcher.putOnPath(launcher.jdk("three", "25"));
        launcher.jdk("jvm/four", "25");
        launcher.set("POLDER_SEARCH_PATH", launcher.path("jvm"));
        assertThat(launcher.run().output()).contains("java of three");
    }

    @Test
    void jdk_onPathBehindWrapper_isAskedWhereItStands() throws Exception {
        launcher.wrapperOnPath(launcher.jdk("three", "25"));
        assertThat(launcher.run().output()).contains("java of three");
    }

    @Test
    void jdk_severalInstalled_oldestThatWillDoIsTaken() throws Exception {
        launcher.putOnPath(launcher.jdk("three", "1.8.0_292"));
        launcher.jdk("jvm/a", "26-ea");
        launcher.jdk("jvm/b", "25.0.3");
        launcher.jdk("jvm/c", "21.0.2");
        launcher.set("POLDER_SEARCH_PATH", "/nowhere:" + launcher.path("jvm"));
        assertThat(launcher.run().output()).contains("java of jvm/b");
    }

    @Test
    void jdk_macLayout_isFound() throws Exception {
        launcher.jdk("jvm/temurin.jdk/Contents/Home", "25");
        launcher.set("POLDER_SEARCH_PATH", launcher.path("jvm"));
        assertThat(launcher.run().output()).contains("java of jvm/temurin.jdk/Contents/Home");
    }

    @Test
    void jdk_none_saysWhatWasSeenAndWhatToInstall() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("old", "17.0.15"));
        launcher.jre("jvm/jre", "25");
        launcher.set("POLDER_SEARCH_PATH", launcher.path("jvm"));
        LauncherFixture.Result result = launcher.run();
        assertThat(result.exitCode()).isEqualTo(NO_JDK);
        assertThat(result.output()).isEmpty();
        assertThat(result.errors())
                .contains("no JDK 25 or newer found")
                .contains(launcher.path("old") + " is Java 17.0.15")
                .contains(launcher.path("jvm/jre") + " is a JRE")
                .contains(
                        "apt install", "sdk install java 25", "brew install", "POLDER_JAVA_HOME=");
        assertThat(launcher.builds()).isZero();
    }

    /** It would be the root folder, whose `usr` has a `bin/java` on most machines. */
    @Test
    void jdk_emptyPlaces_areNone() throws Exception {
        launcher.set("JAVA_HOME", launcher.jre("jre", "25"));
        launcher.set("POLDER_SEARCH_PATH", "::/nowhere:");
        LauncherFixture.Result result = launcher.run();
        assertThat(result.exitCode()).isEqualTo(NO_JDK);
        assertThat(result.errors()).contains("is a JRE (no bin/javac)\n\nInstall one:");
    }

    @Test
    void jdk_polderJavaHomeUnusable_isAnErrorThatNamesIt() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        launcher.set("POLDER_JAVA_HOME", launcher.jdk("old", "24.0.1"));
        LauncherFixture.Result result = launcher.run();
        assertThat(result.exitCode()).isEqualTo(NO_JDK);
        assertThat(result.errors())
                .contains("POLDER_JAVA_HOME=" + launcher.path("old"), "is Java 24.0.1");

        launcher.set("POLDER_JAVA_HOME", launcher.path("nothing here"));
        result = launcher.run();
        assertThat(result.exitCode()).isEqualTo(NO_JDK);
        assertThat(result.errors()).contains("nothing here cannot be used", "no bin/java");
    }

    /** Maven is run in the checkout, whatever folder the command is run in. */
    @Test
    void jdk_namedFromHere_isFoundFromElsewhere() throws Exception {
        launcher.jdk("one", "25");
        launcher.set("POLDER_JAVA_HOME", "../one");
        assertThat(launcher.runAs(launcher.path("polder"), launcher.path("bin")).exitCode())
                .isZero();
        assertThat(launcher.log()).containsPattern("JAVA_HOME=/.*/bin/\\.\\./one\n");
    }

    @Test
    void jdk_variablesOfTheSameNames_areNotTheLaunchers() throws Exception {
        launcher.jdk("jvm/a", "25");
        launcher.set("POLDER_SEARCH_PATH", launcher.path("jvm"));
        launcher.set("least", "1");
        assertThat(launcher.run().output()).contains("java of jvm/a");
    }

    @Test
    void run_arguments_areForwardedAsTheyAre() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        assertThat(launcher.run("lab", "two words", "", "*", "$HOME", "-n").output())
                .contains("\n[--enable-native-access=ALL-UNNAMED]\n")
                .contains("\n[-Dfile.encoding=UTF-8]\n") // whatever JDK_JAVA_OPTIONS say
                .endsWith("[io.polder.lab.Main]\n[lab]\n[two words]\n[]\n[*]\n[$HOME]\n[-n]\n");
    }

    /** A locale that is not installed has only ASCII, as C has. */
    @Test
    void run_whereTheLocaleHasOnlyAscii_hasAllLetters() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        launcher.set("LANG", "de_DE.UTF-8");
        assertThat(launcher.run().output()).contains("\nlocale C.UTF-8\n"); // nothing tells
        launcher.tool("locale", "echo ANSI_X3.4-1968\n");
        assertThat(launcher.run().output()).contains("\nlocale C.UTF-8\n");
        launcher.tool("locale", "echo US-ASCII\n");
        assertThat(launcher.run().output()).contains("\nlocale C.UTF-8\n");
        launcher.tool("locale", "[ $1 = charmap ] && echo ISO-8859-1\n");
        assertThat(launcher.run().output()).contains("\nlocale as it was\n");
    }

    @Test
    void run_exitCode_isForwarded() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        launcher.set("FAKE_EXIT", "42");
        assertThat(launcher.run().exitCode()).isEqualTo(42);
    }

    @Test
    void run_signal_reachesTheJvm() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        launcher.set("FAKE_WAITS", "yes");
        Process process = launcher.start();
        launcher.await("running");
        process.destroy();
        assertThat(process.waitFor(200, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(7);
    }

    @Test
    void run_fromElsewhereThroughSymbolicLinks_findsItsCheckout() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        Path bin = Files.createDirectories(temporary.resolve("bin"));
        Files.createSymbolicLink(temporary.resolve("link"), launcher.path("polder"));
        Files.createSymbolicLink(bin.resolve("polder"), Path.of("../link"));
        LauncherFixture.Result result = launcher.runAs(bin.resolve("polder"), bin);
        assertThat(result.exitCode()).isZero();
        assertThat(result.output()).contains("in " + bin.toRealPath() + "\n");
        assertThat(launcher.builds()).isEqualTo(1);
    }

    /** Nothing of Polder is beside it, though {@code /usr/local}, say, has a bin and a lib. */
    @Test
    void copyOfTheLauncher_isRefused() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        Path bin = Files.createDirectories(temporary.resolve("local/bin"));
        Files.createDirectories(temporary.resolve("local/lib"));
        Path copy = Files.copy(launcher.path("polder"), bin.resolve("polder"));
        LauncherFixture.Result result = launcher.runAs(copy, bin);
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.errors())
                .isEqualTo(
                        "polder: Polder is not in "
                                + bin.toRealPath()
                                + ": a symbolic link to this file will do, a copy will not\n");
        assertThat(bin).isDirectoryNotContaining("glob:**target");
    }

    @Test
    void build_firstUse_isSaidOnErrorsAndLoggedOnce() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        LauncherFixture.Result first = launcher.run();
        assertThat(first.errors()).contains("Building the tools (first use");
        assertThat(first.output()).startsWith("java of two").doesNotContain("Building");
        LauncherFixture.Result second = launcher.run();
        assertThat(second.errors()).isEmpty();
        assertThat(launcher.builds()).isEqualTo(1);
    }

    @Test
    void build_whatItIsMadeOfChanged_isDoneAgain() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        launcher.run("lab");
        int builds = 1;
        for (String changed :
                new String[] {
                    "pom.xml",
                    "lab/pom.xml",
                    "core/src/main/java/A.java",
                    "bench/src/main/java/ABenchmark.java",
                    "tools/src/main/java/ATool.java",
                    "lab/src/main/resources/sizes.json",
                    "core/src/main/java"
                }) {
            launcher.touch(changed);
            assertThat(launcher.run("lab").errors()).as(changed).contains("(sources changed)");
            assertThat(launcher.builds()).as(changed).isEqualTo(++builds);
        }
        launcher.touch("core/src/test/java/ATest.java");
        launcher.touch("agent/src/main/java/AnAgent.java");
        launcher.touch("README.md");
        assertThat(launcher.run("lab").errors()).isEmpty();
        launcher.touch("core/src/test/java/ACheck.java");
        assertThat(launcher.run("lab").errors()).contains("(sources changed)");
        Files.delete(launcher.path("lab/target/launcher/stamp")); // as `mvn clean` does
        launcher.run("lab");
        assertThat(launcher.builds()).isEqualTo(builds + 2);
        assertThat(launcher.built()).containsOnly("lab");
    }

    /** Sources of tests count for nothing, but for the path to the checkout. */
    @Test
    void build_checkoutInAFolderOfTests_isDoneAgainAsAnywhere() throws Exception {
        LauncherFixture tests = new LauncherFixture(temporary.resolve("src/tests/polder"));
        tests.set("JAVA_HOME", tests.jdk("two", "25"));
        tests.run();
        tests.touch("tools/src/main/java/ATool.java");
        assertThat(tests.run().errors()).contains("(sources changed)");
        assertThat(tests.builds()).isEqualTo(2);
    }

    @Test
    void build_command_buildsOnlyWhatItNeeds() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        launcher.run("scan");
        launcher.run("report");
        assertThat(launcher.built()).containsExactly("tools");
        launcher.touch("core/src/main/java/A.java");
        launcher.run("top");
        assertThat(launcher.built()).containsExactly("tools");
        launcher.run("run", "java");
        launcher.run("census");
        assertThat(launcher.built()).containsExactly("tools", "agent");
        launcher.touch("tools/src/main/java/ATool.java");
        launcher.run("census");
        assertThat(launcher.built()).containsExactly("tools", "agent", "tools,agent");
    }

    @Test
    void build_ofTheLab_isOneOfTheTools() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        launcher.run("lab");
        assertThat(launcher.run("scan").errors()).isEmpty();
        assertThat(launcher.built()).containsExactly("lab");
    }

    @Test
    void build_ofOtherCaches_isForWhoNamesTheExperiment() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        launcher.run("lab", "all", "--quick");
        assertThat(launcher.built()).containsExactly("lab");
        assertThat(launcher.run("lab", "cache").errors()).contains("Downloading other caches");
        assertThat(launcher.run("lab", "cache", "--quick").errors()).isEmpty();
        assertThat(launcher.built()).containsExactly("lab", "lab/cache-contenders");
    }

    /** Nothing is compared. */
    @ParameterizedTest
    @ValueSource(strings = {"lab cache --help", "lab -h cache", "lab cache -V", "help lab"})
    void build_ofOtherCaches_isNotForHelp(String command) throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        String[] words = command.split(" ");
        assertThat(launcher.run(words).errors()).doesNotContain("Downloading");
        assertThat(launcher.built()).containsExactly("lab");
    }

    @Test
    void build_ofOtherCachesFails_labRunsAllTheSame() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        launcher.run("lab");
        launcher.set("FAKE_MAVEN_EXIT", "1");
        LauncherFixture.Result result = launcher.run("lab", "cache");
        assertThat(result.exitCode()).isZero();
        assertThat(result.errors())
                .contains("could not be downloaded; going on with what is there", "no luck")
                .contains("target/launcher/contenders.log");
        assertThat(result.output()).contains("[cache]");
    }

    @Test
    void build_editedDuringTheBuild_isDoneAgain() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        launcher.set("FAKE_MAVEN_EDITS", "core/src/main/java/A.java");
        launcher.run("lab");
        launcher.run("lab");
        assertThat(launcher.builds()).isEqualTo(2);
    }

    @Test
    void build_fails_showsTheErrorAndNamesTheLog() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        launcher.set("FAKE_MAVEN_EXIT", "1");
        LauncherFixture.Result result = launcher.run();
        assertThat(result.exitCode()).isEqualTo(NO_BUILD);
        assertThat(result.output()).isEmpty();
        assertThat(result.errors())
                .contains("could not be built", "[ERROR] no luck", "target/launcher/build.log");
        launcher.unset("FAKE_MAVEN_EXIT");
        assertThat(launcher.run().exitCode()).isZero();
    }

    /** It could be named neither in a class path nor as an agent. */
    @Test
    void oddPath_isRefused() throws Exception {
        LauncherFixture odd = new LauncherFixture(temporary.resolve("a=b"));
        odd.set("JAVA_HOME", odd.jdk("one", "25"));
        LauncherFixture.Result result = odd.run("scan");
        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.errors()).contains("a folder with ':', '=' or '*'");
    }

    @Test
    void build_noMaven_saysSo() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        Files.delete(launcher.path("bin/mvn"));
        LauncherFixture.Result result = launcher.run();
        assertThat(result.exitCode()).isEqualTo(NO_BUILD);
        assertThat(result.errors()).contains("no mvn on the PATH", "apt install maven");
    }

    @Test
    void build_whereNothingCanBeWritten_saysWhatToDo() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        Path target = launcher.path("target/launcher");
        Files.createDirectories(target.getParent());
        Files.createFile(target); // also root is refused then
        LauncherFixture.Result result = launcher.run();
        assertThat(result.exitCode()).isEqualTo(NO_BUILD);
        assertThat(result.errors())
                .endsWith(
                        target
                                + " cannot be written. Run this command once as somebody"
                                + " who may, who builds it for all.\n");
    }

    @Test
    void build_javaOfMaven_isTheOneThatWasFound() throws Exception {
        Path found = launcher.jdk("jvm/b", "25");
        launcher.set("POLDER_SEARCH_PATH", launcher.path("jvm"));
        launcher.set("JAVA_HOME", launcher.jdk("users", "17.0.15"));
        launcher.run();
        assertThat(launcher.log()).contains("JAVA_HOME=" + found + "\n");
    }

    @Tag("full")
    @Test
    void build_twoAtOnce_onlyOneBuilds() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        launcher.set("FAKE_MAVEN_SLEEPS", "2");
        Process first = launcher.start();
        Process second = launcher.start();
        assertThat(first.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(second.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(first.exitValue()).isZero();
        assertThat(second.exitValue()).isZero();
        assertThat(launcher.builds()).isEqualTo(1);
        assertThat(launcher.path("target/launcher/build.lock")).doesNotExist();
    }

    @Test
    void build_lockOfDeadProcess_isBroken() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        Process dead = new ProcessBuilder("true").start();
        dead.waitFor();
        Path lock = launcher.path("target/launcher/build.lock");
        Files.createDirectories(lock.getParent());
        Files.createSymbolicLink(lock, Path.of(Long.toString(dead.pid())));
        assertThat(launcher.run().exitCode()).isZero();
        assertThat(Files.isSymbolicLink(lock)).isFalse();
    }

    /** As one that was killed while it broke the lock of another one. */
    @Test
    void build_lockOfDeadProcessWhoseBreakerIsDead_isBroken() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        Process dead = new ProcessBuilder("true").start();
        dead.waitFor();
        Path lock = launcher.path("target/launcher/build.lock");
        Files.createDirectories(lock.getParent());
        Path pid = Path.of(Long.toString(dead.pid()));
        Files.createSymbolicLink(lock, pid);
        Files.createSymbolicLink(lock.resolveSibling("build.lock." + pid), pid);
        assertThat(launcher.run().exitCode()).isZero();
        assertThat(lock.getParent()).isDirectoryNotContaining("glob:**build.lock*");
    }

    /** Two find it at the same time: the second does not break the lock that the first has made. */
    @Test
    void build_lockOfDeadProcessTakenMeanwhile_isWaitedFor() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        Process dead = new ProcessBuilder("true").start();
        dead.waitFor();
        Path lock = launcher.path("target/launcher/build.lock");
        Files.createDirectories(lock.getParent());
        Files.createSymbolicLink(lock, Path.of(Long.toString(dead.pid())));
        Process other = new ProcessBuilder("sleep", "600").start();
        try {
            Files.move(launcher.path("bin/readlink"), launcher.path("bin/real-readlink"));
            launcher.tool(
                    "readlink",
                    """
                    real-readlink "$@"
                    case $2 in */build.lock)
                        if [ ! -e "$FAKE_ROOT/taken" ]; then
                            echo >"$FAKE_ROOT/taken"
                            rm "$2"
                            ln -s OTHER "$2"
                        fi ;;
                    esac
                    """
                            .replace("OTHER", Long.toString(other.pid())));
            Files.move(launcher.path("bin/sleep"), launcher.path("bin/real-sleep"));
            launcher.tool("sleep", "echo >\"$FAKE_ROOT/waits\"\nexec real-sleep \"$@\"\n");
            Process process = launcher.start();
            while (process.isAlive() && !Files.exists(launcher.path("waits"))) {
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertThat(launcher.builds()).isZero();
            other.destroyForcibly().waitFor();
            assertThat(process.waitFor(200, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
            assertThat(launcher.builds()).isEqualTo(1);
            assertThat(lock.getParent()).isDirectoryNotContaining("glob:**build.lock*");
        } finally {
            other.destroyForcibly();
        }
    }

    /** As on a full disk, or on one that knows no symbolic links: here a file is in the way. */
    @Test
    void build_nothingCanBeLocked_isSaid() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        Path lock = launcher.path("target/launcher/build.lock");
        Files.createDirectories(lock.getParent());
        Files.createFile(lock);
        LauncherFixture.Result result = launcher.run();
        assertThat(result.exitCode()).isEqualTo(4);
        assertThat(result.errors()).contains("the tools must be built, but nothing can be locked");
        assertThat(launcher.builds()).isZero();
    }

    /** Maven is not left to itself: the launcher waits for it, and ends. */
    @Test
    void build_terminated_leavesNoLockBehind() throws Exception {
        launcher.set("JAVA_HOME", launcher.jdk("two", "25"));
        launcher.set("FAKE_MAVEN_SLEEPS", "2");
        Process process = launcher.start();
        launcher.await("building");
        process.destroy();
        assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(128 + 15);
        assertThat(Files.isSymbolicLink(launcher.path("target/launcher/build.lock"))).isFalse();
        assertThat(launcher.path("tools/target/launcher/stamp")).doesNotExist();
        launcher.unset("FAKE_MAVEN_SLEEPS");
        assertThat(launcher.run().exitCode()).isZero();
    }
}
