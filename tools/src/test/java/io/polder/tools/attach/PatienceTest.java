package io.polder.tools.attach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.tools.attach.AttachException.Problem;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;

class PatienceTest {
    private final Patience patience = new Patience(ProcessHandle.current().pid(), 1);

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
        assertThatThrownBy(
                        () ->
                                patience.ask(
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
}
