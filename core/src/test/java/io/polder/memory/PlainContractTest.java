package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The plain provider keeps the contract, and what only a JDK arena can do besides. */
class PlainContractTest extends MemoryProviderContract {

    @Override
    MemoryProvider create() {
        return Providers.plain();
    }

    @Test
    void plain_always_saysWhatItCannotDo() {
        MemoryProvider plain = create();
        assertThat(plain.name()).isEqualTo("plain");
        assertThat(plain.canUncommit()).isFalse();
        assertThat(plain.canRemap()).isFalse();
    }

    @Test
    void release_segmentStillHeld_throwsOnAccessInsteadOfCrashing() {
        MemoryProvider plain = create();
        long address = plain.reserve(4096, 4096);
        MemorySegment segment = plain.segment(address, 4096);
        plain.release(address, 4096);
        assertThatIllegalStateException().isThrownBy(() -> segment.get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void reserve_refused_namesTheCallAndTheCause() {
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> create().reserve(1L << 60, 1))
                .withMessageContaining("Arena.allocate")
                .withCauseInstanceOf(OutOfMemoryError.class);
    }
}
