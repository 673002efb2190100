package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Where the fence is available, what refuses it, and what it says then. */
class ProcessFenceTest {

    private final RefusingCalls calls = new RefusingCalls();
    private final ProcessFence fence = new ProcessFence(calls, true);

    @Test
    void none_isNotAvailable_makesNoCall() {
        assertThat(Fences.none().isAvailable()).isFalse();
        ProcessFence unusable = new ProcessFence(calls, false);
        assertThat(unusable.isAvailable()).isFalse();
        assertThat(unusable.reason()).contains("native access is denied");
        assertThat(calls.log()).isEmpty();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void isAvailable_askedTwice_registersOnce() {
        boolean available = fence.isAvailable();
        assertThat(fence.isAvailable()).isEqualTo(available);
        assertThat(calls.log()).containsOnlyOnce("membarrier(REGISTER)");
        assertThat(fence.reason()).startsWith("membarrier");
    }

    @Test
    void isAvailable_registrationRefused_isFalseForGood() {
        calls.refuse("membarrier(REGISTER)", Errno.ENOSYS, 0);
        assertThat(fence.isAvailable()).isFalse();
        calls.allow();
        assertThat(fence.isAvailable()).isFalse();
        assertThat(fence.reason()).contains("refused");
        assertThat(calls.log()).containsExactly("membarrier(REGISTER)");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void isAvailable_fenceRefused_isFalse() {
        calls.refuse("membarrier", Errno.EPERM, 0);
        assertThat(fence.isAvailable()).isFalse();
    }

    @Test
    void run_refused_throwsWithTheErrno() {
        calls.refuse("membarrier", Errno.EPERM, 0);
        assertThatThrownBy(fence::run)
                .isInstanceOf(OsCallException.class)
                .hasMessageContaining("membarrier(PRIVATE_EXPEDITED)")
                .hasMessageContaining("EPERM");
        assertThat(calls.log()).containsExactly("membarrier");
    }

    @Test
    void run_shortOfMemoryForGood_givesUpInTheEnd() {
        calls.refuse("membarrier", Errno.ENOMEM, 0);
        assertThatThrownBy(fence::run)
                .isInstanceOf(OsCallException.class)
                .hasMessageContaining("ENOMEM");
        assertThat(calls.log()).hasSizeGreaterThan(1).containsOnly("membarrier");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void run_onceAvailable_works() {
        assumeTrue(fence.isAvailable(), fence.reason());
        fence.run();
        assertThat(calls.log()).endsWith("membarrier");
    }
}
