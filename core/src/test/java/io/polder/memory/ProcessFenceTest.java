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

    /** What has registered it may be another fence, or the JVM. */
    @Test
    @EnabledOnOs(OS.LINUX)
    @RealKernel
    void run_registered_isOneCall() {
        fence.run();
        calls.log().clear();
        fence.run();
        assertThat(calls.log()).containsExactly("membarrier");
    }

    @Test
    void run_refused_triesToRegisterFirst() {
        calls.refuse("membarrier", Errno.EPERM, 0);
        fence.run();
        assertThat(calls.log()).startsWith("membarrier", "membarrier(REGISTER)");
    }

    @Test
    void run_allRefused_endsNevertheless() {
        LinuxCalls refusing =
                new LinuxCalls() {
                    @Override
                    long membarrier(int command) {
                        return -Errno.ENOSYS;
                    }
                };
        new ProcessFence(refusing, true).run();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    @RealKernel
    void run_refusedForAWhile_asksEachTime() {
        fence.run();
        calls.refuse("membarrier", Errno.EPERM, 0);
        fence.run();
        calls.allow();
        calls.log().clear();
        fence.run();
        assertThat(calls.log()).containsExactly("membarrier");
    }
}
