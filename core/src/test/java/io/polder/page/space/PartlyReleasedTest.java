package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.memory.DelegatingProvider;
import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.MemoryProvider;
import io.polder.memory.OsCallException;
import io.polder.memory.Providers;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A reservation with holes is released piece by piece, and any of these calls may be refused. */
@EnabledOnOs(OS.LINUX)
class PartlyReleasedTest extends PageFixture {
    /** Which granule is gone; 0 if none is. */
    private long gone;

    private boolean refuses;

    @Override
    MemoryProvider real() {
        return new DelegatingProvider(Providers.choose().provider()) {
            @Override
            public void release(long address, long bytes) {
                if (refuses) {
                    throw new OsCallException("munmap", Errno.ENOMEM, address, bytes);
                }
                super.release(address, bytes);
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

    @Test
    void take_ofAReservationOfWhichAPartIsGone_isOfTheRest() {
        PageSpace space = space(32 * MIB);
        Extent first = space.take(4 * MIB, false);
        gone = first.address();
        give(first);
        refuses = true;
        provider.failAlways(Call.UNCOMMIT, Errno.EPERM);
        assertThat(space.trim()).isEqualTo(4 * MIB); // it went with the addresses
        provider.heal();
        refuses = false;
        Extent page = space.take(4 * MIB, false);
        assertThat(page.address()).isLessThan(gone);
        assertThat(space.statistics().committedBytes()).isEqualTo(4 * MIB);
        give(page);
    }
}
