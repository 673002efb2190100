package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Which calls a fence makes; that it is one, the stress tests show, and {@code FenceTest}. */
class ProcessFenceTest {

    private final RefusingCalls calls = new RefusingCalls();
    private final ProcessFence fence = new ProcessFence(calls, true);

    @Test
    void run_whereNoCallMayBeMade_makesNone() {
        new ProcessFence(calls, false).run();
        assertThat(calls.log()).isEmpty();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void run_again_registersOnce() {
        fence.run();
        fence.run();
        assertThat(calls.log()).containsExactly("membarrier(REGISTER)", "membarrier", "membarrier");
    }

    @Test
    void run_registrationRefused_asksNoMore() {
        calls.refuse("membarrier(REGISTER)", Errno.ENOSYS, 0);
        fence.run();
        calls.allow();
        fence.run();
        assertThat(calls.log()).containsExactly("membarrier(REGISTER)");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void run_refusedForAWhile_asksEachTime() {
        fence.run();
        calls.refuse("membarrier", Errno.EPERM, 0);
        fence.run();
        calls.allow();
        fence.run();
        assertThat(calls.log())
                .containsExactly("membarrier(REGISTER)", "membarrier", "membarrier", "membarrier");
    }
}
