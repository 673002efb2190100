package io.polder.memory;

import static io.polder.memory.MemoryProvider.REMAP_GRANULE_BYTES;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.polder.memory.FailingMemoryProvider.Call;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.foreign.ValueLayout;

/**
 * The checker is checked: each kind of call fails when it should, only then, and without effect.
 */
@EnabledOnOs(OS.LINUX)
class FailingMemoryProviderTest {

    private final FailingMemoryProvider provider = new FailingMemoryProvider(LinuxProviders.all());
    private final long page = provider.osPageSize();

    @ParameterizedTest
    @EnumSource(
            value = Call.class,
            names = {"ADVISE", "REMAP"},
            mode = EnumSource.Mode.EXCLUDE)
    void fail_nthCall_failsThatOneOnly(Call call) {
        long address = provider.reserve(page, page);
        NativeAccess.view(address, page).fill((byte) 1);
        provider.fail(call, 2, Errno.EAGAIN);
        long first = make(call, address);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> make(call, first))
                .withMessageStartingWith(
                        "the operating system must carry out injected "
                                + call
                                + ": errno=EAGAIN (11), address=0x");
        long third = make(call, first);
        assertThat(provider.failures(call)).isEqualTo(1);
        provider.heal();
        provider.release(third, page);
        if (call == Call.RESERVE) {
            provider.release(first, page);
            provider.release(address, page);
        }
        assertThat(provider.reservedBytes()).isZero();
    }

    /** Makes one call and returns the address of a reservation to make the next one with. */
    private long make(Call call, long address) {
        switch (call) {
            case RESERVE -> {
                return provider.reserve(page, page);
            }
            case RELEASE -> {
                provider.release(address, page);
                return provider.reserve(page, page);
            }
            case COMMIT -> provider.commit(address, page);
            case POPULATE -> provider.populate(address, page);
            case UNCOMMIT -> provider.uncommit(address, page);
            case RENEW -> provider.renew(address, page);
            case REMAP, ADVISE -> throw new IllegalArgumentException("has a test of its own");
        }
        return address;
    }

    @Test
    void uncommit_failed_hasNoEffect() {
        long address = provider.reserve(page, page);
        NativeAccess.view(address, page).fill((byte) 1);
        provider.failAlways(Call.UNCOMMIT, Errno.ENOMEM);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.uncommit(address, page));
        assertThat(NativeAccess.view(address, page).get(ValueLayout.JAVA_BYTE, 0))
                .isEqualTo((byte) 1);
        provider.release(address, page);
    }

    @Test
    void uncommit_batchFailsInTheMiddle_saysHowManyWereDone() {
        long address = provider.reserve(4 * page, page);
        NativeAccess.view(address, 4 * page).fill((byte) 1);
        long[] addresses = {address, address + page, address + 2 * page, address + 3 * page};
        long[] sizes = {page, page, page, page};
        provider.fail(Call.UNCOMMIT, 3, Errno.EINVAL);
        OsCallException failure =
                catchThrowableOfType(
                        OsCallException.class, () -> provider.uncommit(addresses, sizes, 4));
        assertThat(failure.done()).isEqualTo(2);
        assertThat(failure).hasMessageContaining("address=0x" + Long.toHexString(addresses[2]));
        for (int i = 0; i < 4; i++) {
            byte first = NativeAccess.view(addresses[i], page).get(ValueLayout.JAVA_BYTE, 0);
            assertThat(first).isEqualTo((byte) (i < 2 ? 0 : 1));
        }
        provider.release(address, 4 * page);
    }

    @Test
    void remap_failsInTheMiddle_saysHowManyGranulesWereMoved() {
        MovableMemory.assume();
        long bytes = 3 * REMAP_GRANULE_BYTES;
        long from = provider.reserve(bytes, REMAP_GRANULE_BYTES);
        long to = provider.reserve(bytes, REMAP_GRANULE_BYTES);
        NativeAccess.view(from, bytes).fill((byte) 1);
        provider.fail(Call.REMAP, 2, Errno.ENOMEM);
        OsCallException failure =
                catchThrowableOfType(OsCallException.class, () -> provider.remap(from, to, bytes));
        assertThat(failure.done()).isEqualTo(1);
        long second = REMAP_GRANULE_BYTES;
        assertThat(NativeAccess.view(to, bytes).get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 1);
        assertThat(NativeAccess.view(to, bytes).get(ValueLayout.JAVA_BYTE, second)).isZero();
        assertThat(NativeAccess.view(from, bytes).get(ValueLayout.JAVA_BYTE, second))
                .isEqualTo((byte) 1);
        provider.fail(Call.REMAP, 1, Errno.ENOMEM);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.remap(from, to, bytes))
                .matches(e -> e.done() == 0);
        assertThat(provider.calls(Call.REMAP)).isEqualTo(3);
        provider.release(from, bytes);
        provider.release(to, bytes);
    }

    @Test
    void adviseHugePages_failed_isNotTaken() {
        FailingMemoryProvider advised = new FailingMemoryProvider(Providers.choose().provider());
        long osPage = advised.osPageSize();
        long address = advised.reserve(osPage, osPage);
        advised.failAlways(Call.ADVISE, Errno.EAGAIN);
        assertThat(advised.adviseHugePages(address, osPage, false)).isFalse();
        assertThat(advised.failures(Call.ADVISE)).isEqualTo(1);
        advised.release(address, osPage);
    }

    @Test
    void reservedBytes_leak_isSeen() {
        long address = provider.reserve(page, page);
        assertThat(provider.reservedBytes()).isEqualTo(page);
        provider.release(address, page);
        assertThat(provider.reservedBytes()).isZero();
    }
}
