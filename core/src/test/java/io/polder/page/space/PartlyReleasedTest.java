package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.memory.DelegatingProvider;
import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryProvider;
import io.polder.memory.MovableMemory;
import io.polder.memory.OsCallException;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;

/**
 * A call has unmapped a part, and was refused or cut short then: a release of a reservation with
 * holes, piece by piece, or a move.
 */
@EnabledOnOs(OS.LINUX)
class PartlyReleasedTest extends PageFixture {
    /** Which granule is gone; 0 if none is. */
    private long gone;

    private boolean refuses;
    private boolean cutsShort;

    @Override
    MemoryProvider real() {
        return new DelegatingProvider(Providers.choose().provider()) {
            @Override
            public void release(long address, long bytes) {
                if (refuses) {
                    throw new OsCallException("munmap", Errno.ENOMEM, address, bytes);
                }
                if (cutsShort) {
                    throw new OutOfMemoryError("a test");
                }
                super.release(address, bytes);
            }

            @Override
            public void remap(long from, long to, long bytes) {
                if (cutsShort) {
                    gone = to;
                    throw new OutOfMemoryError("a test");
                }
                super.remap(from, to, bytes);
            }

            @Override
            public boolean isWhole(long address, long bytes) {
                boolean has = address <= gone && gone < address + bytes;
                return !has && super.isWhole(address, bytes);
            }

            @Override
            public void commit(long address, long bytes) {
                if (!isWhole(address, bytes)) {
                    throw new OsCallException("over a hole", Errno.ENOMEM, address, bytes);
                }
                super.commit(address, bytes);
            }
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void take_ofAReservationOfWhichAPartIsGone_isOfTheRest(boolean error) {
        PageSpace space = space(32 * MIB);
        Extent first = space.take(4 * MIB, false);
        gone = first.address();
        give(first);
        refuses = !error;
        cutsShort = error;
        provider.failAlways(Call.UNCOMMIT, Errno.EPERM);
        if (error) {
            assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(space::trim);
        } else {
            assertThat(space.trim()).isEqualTo(2 * MIB); // it went with the addresses
        }
        provider.heal();
        refuses = false;
        cutsShort = false;
        assertThat(space.statistics().committedBytes()).isEqualTo(2 * MIB);
        Extent page = space.take(4 * MIB, false);
        assertThat(page.address()).isLessThan(gone);
        give(page);
    }

    @Test
    void take_aMoveHasLeftAHole_isOfTheRest() {
        MovableMemory.assume();
        PageSpace space = space(32 * MIB);
        List<Extent> kept = giveEverySecond(space, fill(space));
        cutsShort = true;
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> space.take(8 * MIB, false));
        cutsShort = false;
        PageCheck.verifyAtRest(space);
        while (Granules.bytes(kept.size()) < 32 * MIB) {
            Extent page = small(space);
            assertThat(page.address()).isNotEqualTo(gone);
            kept.add(page);
        }
        give(kept);
    }
}
