package io.polder.tools.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.tools.attach.AttachException.Problem;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

class PatienceTest {
    private static final long OWN_PID = ProcessHandle.current().pid();

    private final Patience patience = new Patience(OWN_PID, 100);

    @Test
    void ask_answered_isTheAnswer() throws Exception {
        assertThat(patience.ask(() -> "yes")).isEqualTo("yes");
        assertThatThrownBy(
                        () ->
                                patience.askOver(
                                        () -> {
                                            throw new IOException("broken");
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessage("broken");
        assertThatThrownBy(
                        () ->
                                patience.ask(
                                        () -> {
                                            throw new AssertionError("wrong");
                                        }))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void ask_neverAnswered_ends() {
        CountDownLatch never = new CountDownLatch(1);
        Patience little = new Patience(OWN_PID, 1);
        assertThatThrownBy(
                        () ->
                                little.ask(
                                        () -> {
                                            never.await();
                                            return true;
                                        }))
                .isInstanceOfSatisfying(
                        AttachException.class,
                        e -> assertThat(e.problem()).isEqualTo(Problem.SILENT))
                .hasMessageContaining(" does not answer; ")
                .hasMessageEndingWith("Waited 1 s, see --timeout");
        never.countDown();
    }

    /** It has let its attach be begun, as when it is killed in the middle: nothing more comes. */
    @Test
    void ask_processEnds_isNotWaitedFor() throws Exception {
        Process other = new ProcessBuilder("sleep", "600").start();
        Patience withOther = new Patience(other.pid(), 30);
        CountDownLatch never = new CountDownLatch(1);
        assertThatThrownBy(
                        () ->
                                withOther.ask(
                                        () -> {
                                            other.destroyForcibly();
                                            never.await();
                                            return true;
                                        }))
                .isInstanceOfSatisfying(
                        AttachException.class, e -> assertThat(e.problem()).isEqualTo(Problem.GONE))
                .hasMessage("process " + other.pid() + " ended meanwhile");
        never.countDown();
    }

    @Test
    void ask_processHasEndedAndAnswered_isTheAnswer() throws Exception {
        Process other = new ProcessBuilder("true").start();
        other.waitFor();
        assertThat(new Patience(other.pid(), 1).ask(() -> "last words")).isEqualTo("last words");
    }

    /**
     * The process that started it does not ask how it ended, as the first process of many
     * containers.
     */
    @Test
    @EnabledOnOs(OS.LINUX)
    void gone_endedAndNotTaken_isGone() throws Exception {
        Process parent =
                new ProcessBuilder("sh", "-c", "sleep 600 & echo $!; exec sleep 600").start();
        try {
            long pid = Long.parseLong(parent.inputReader().readLine());
            Path name = Path.of("/proc/" + parent.pid() + "/comm");
            while (!Files.readString(name).equals("sleep\n")) { // which asks for nobody's end
                assertThat(parent.isAlive()).isTrue();
                Thread.sleep(5);
            }
            boolean _ = ProcessHandle.of(pid).orElseThrow().destroyForcibly();
            Path stat = Path.of("/proc/" + pid + "/stat");
            while (!Files.readString(stat).contains(") Z ")) {
                assertThat(parent.isAlive()).isTrue();
                Thread.sleep(5);
            }
            assertThat(JvmProcess.gone(pid)).isTrue();
            assertThat(JvmProcess.gone(parent.pid())).isFalse();
            assertThatThrownBy(() -> JvmProcess.attach(new Patience(pid, 30), false))
                    .isInstanceOfSatisfying(
                            AttachException.class,
                            e -> assertThat(e.problem()).isEqualTo(Problem.NO_PROCESS));
            // And if it was still there when it was first asked for.
            assertThat(JvmProcess.noJvm(pid).problem()).isEqualTo(Problem.GONE);
            assertThat(JvmProcess.noJvm(parent.pid()).problem()).isEqualTo(Problem.NO_JVM);
        } finally {
            parent.destroyForcibly();
        }
    }
}
