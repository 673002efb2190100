package io.polder.stress.everywhere;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.memory.MemoryProvider;
import io.polder.memory.OsCallException;
import io.polder.memory.Providers;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FailingProviderTest {
    private static final long BYTES = 1 << 20;

    private final FailingProvider provider = new FailingProvider(Providers.choose().provider());

    @AfterEach
    void disarm() {
        Throwing.disarm();
    }

    @Test
    void call_refused_hasNoEffect() {
        Injection injection = Throwing.arm(Kind.SYSTEM, Repeat.ONCE, 2);
        long address = provider.reserve(BYTES, MemoryProvider.REMAP_GRANULE_BYTES);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.release(address, BYTES))
                .withMessageContaining("injected release");
        assertThat(injection.thrown()).isNotNull();
        assertThat(provider.reservedBytes()).isEqualTo(BYTES);
        provider.release(address, BYTES);
        assertThat(provider.reservedBytes()).isZero();
    }

    @Test
    void uncommit_refusedInTheMiddle_saysHowManyAreDone() {
        long address = provider.reserve(BYTES, MemoryProvider.REMAP_GRANULE_BYTES);
        provider.commit(address, BYTES);
        long part = BYTES / 4;
        long[] addresses = {address, address + part, address + 2 * part};
        long[] sizes = {part, part, part};
        for (long each : addresses) {
            Paint.paint(Paint.at(each, part), each);
        }
        Throwing.arm(Kind.SYSTEM, Repeat.ONCE, 2);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.uncommit(addresses, sizes, 3))
                .matches(refusal -> refusal.done() == 1);
        Paint.requireZero(Paint.at(addresses[0], part));
        Paint.requirePainted(Paint.at(addresses[1], part), addresses[1]);
        provider.release(address, BYTES);
    }

    @Test
    void abandon_givesMemoryBack_keepsAddresses() {
        long address = provider.reserve(BYTES, MemoryProvider.REMAP_GRANULE_BYTES);
        provider.commit(address, BYTES);
        Paint.paint(Paint.at(address, BYTES), 1);
        provider.abandon();
        Paint.requireZero(Paint.at(address, BYTES));
        provider.release(address, BYTES);
    }
}
