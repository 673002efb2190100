package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

/** The plain provider keeps the contract, and says what it cannot do. */
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
    void reserve_refused_namesTheCallAndTheCause() {
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> create().reserve(1L << 60, 1))
                .withMessageContaining("Arena.allocate")
                .withCauseInstanceOf(OutOfMemoryError.class);
    }
}
