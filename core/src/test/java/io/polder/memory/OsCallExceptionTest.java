package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What an exception of this layer says. */
class OsCallExceptionTest {

    @Test
    void message_always_namesCallErrnoAndRange() {
        OsCallException failure = new OsCallException("mremap", 14, 0x200000, 4096, 3);
        assertThat(failure)
                .hasMessage(
                        "the operating system must carry out mremap: errno=EFAULT (14),"
                                + " address=0x200000, bytes=4096, done=3");
        assertThat(failure.isExhaustion()).isFalse();
    }

    @Test
    void message_unknownErrno_hasItsNumber() {
        assertThat(new OsCallException("mmap", 512, 0, 1)).hasMessageContaining("unknown (512)");
    }

    @Test
    void isExhaustion_noMemory_isTrue() {
        assertThat(new OsCallException("mmap", Errno.ENOMEM, 0, 4096).isExhaustion()).isTrue();
    }
}
