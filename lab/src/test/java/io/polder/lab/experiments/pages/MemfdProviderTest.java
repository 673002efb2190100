package io.polder.lab.experiments.pages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.memory.MemoryProvider;
import io.polder.memory.ProcessCheck;
import io.polder.memory.Providers;
import io.polder.memory.Zeroing;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.lang.foreign.ValueLayout;
import java.util.Random;

/** What {@link MemoryProvider} promises, of the two providers of the lab. */
@EnabledOnOs(OS.LINUX)
class MemfdProviderTest {
    private static final long GRANULE = MemoryProvider.REMAP_GRANULE_BYTES;
    private static final int GRANULES = 8;
    private static final long LAST = GRANULE - Long.BYTES;

    private final MemfdProvider provider = new MemfdProvider(Providers.choose().provider());
    private final long area = provider.reserve(GRANULES * GRANULE, GRANULE);

    @AfterEach
    void close() {
        provider.release(area, GRANULES * GRANULE);
        provider.close();
    }

    @Test
    void reserve_isAlignedZeroAndOneMapping() {
        long other = provider.reserve(3 * GRANULE, 16 * GRANULE);

        assertThat(other % (16 * GRANULE)).isZero();
        assertThat(read(other + 2 * GRANULE)).isZero();
        assertThat(ProcessCheck.overlapping(other, 3 * GRANULE)).hasSize(1);
        provider.release(other, 3 * GRANULE);
        assertThat(ProcessCheck.overlapping(other, 3 * GRANULE)).isEmpty();
    }

    @Test
    void remap_dataArrivesAndTheSourceReadsAsZero() {
        write(granule(1), 11);
        write(granule(2) + LAST, 22);
        write(granule(5), 55);

        provider.remap(granule(1), granule(5), 2 * GRANULE);

        assertThat(read(granule(5))).isEqualTo(11);
        assertThat(read(granule(6) + LAST)).isEqualTo(22);
        assertThat(read(granule(1))).isZero();
        assertThat(read(granule(2) + LAST)).isZero();
        write(granule(1), 12);
        assertThat(read(granule(5))).isEqualTo(11);
    }

    @Test
    void remap_betweenReservations_dataArrives() {
        long other = provider.reserve(GRANULE, GRANULE);
        write(granule(3), 33);

        provider.remap(granule(3), other, GRANULE);

        assertThat(read(other)).isEqualTo(33);
        assertThat(read(granule(3))).isZero();
        provider.release(other, GRANULE);
        assertThat(read(granule(3))).isZero();
    }

    @Test
    void uncommit_acrossGranules_readsAsZeroAndSparesTheRest() {
        write(granule(2), 1);
        write(granule(2) + LAST, 2);
        write(granule(3), 3);
        write(granule(3) + LAST, 4);
        provider.remap(granule(2), granule(7), GRANULE);
        provider.remap(granule(7), granule(2), GRANULE);

        provider.uncommit(granule(3) - 4096, 2 * 4096);

        assertThat(read(granule(2))).isEqualTo(1);
        assertThat(read(granule(2) + LAST)).isZero();
        assertThat(read(granule(3))).isZero();
        assertThat(read(granule(3) + LAST)).isEqualTo(4);
    }

    @Test
    void renew_readsAsZeroAndIsOneMapping() {
        for (int i = 0; i < GRANULES / 2; i++) {
            write(granule(i), i + 1);
            provider.remap(granule(i), granule(GRANULES - 1 - i), GRANULE);
        }
        assertThat(ProcessCheck.overlapping(area, GRANULES * GRANULE)).hasSizeGreaterThan(2);

        provider.renew(area, GRANULES * GRANULE);

        for (int i = 0; i < GRANULES; i++) {
            assertThat(read(granule(i))).isZero();
        }
        assertThat(ProcessCheck.overlapping(area, GRANULES * GRANULE)).hasSize(1);
    }

    @Test
    void random_contentMovesAlong() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        long[] model = new long[GRANULES];
        int moves = 0;
        int uncommits = 0;
        for (int i = 1; i < 500; i++) {
            int from = random.nextInt(GRANULES);
            int to = random.nextInt(GRANULES);
            if (random.nextInt(8) == 0) {
                provider.uncommit(granule(from), GRANULE);
                model[from] = 0;
                uncommits++;
            } else if (from != to) {
                provider.remap(granule(from), granule(to), GRANULE);
                model[to] = model[from];
                model[from] = 0;
                moves++;
            }
            int written = random.nextInt(GRANULES);
            write(granule(written), i);
            model[written] = i;
            for (int g = 0; g < GRANULES; g++) {
                assertThat(read(granule(g))).as("seed=%d, granule=%d", seed, g).isEqualTo(model[g]);
            }
        }
        assertThat(moves).isGreaterThan(200);
        assertThat(uncommits).isGreaterThan(20);
    }

    @Test
    void calls_outsideOfAReservation_areMisuse() {
        long beyond = area + GRANULES * GRANULE;

        assertThatThrownBy(() -> provider.uncommit(beyond, GRANULE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("inside one reservation");
        assertThatThrownBy(() -> provider.remap(area, beyond, GRANULE))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> provider.release(area, GRANULE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("whole reservation");
        assertThat(read(area)).isZero();
    }

    @Test
    void noRemap_cannotMoveAndCopies() {
        NoRemapProvider copying = new NoRemapProvider(provider);
        write(granule(1), 11);

        copying.remap(granule(1), granule(4), GRANULE);

        assertThat(copying.canRemap()).isFalse();
        assertThat(provider.canRemap()).isTrue();
        assertThat(read(granule(4))).isEqualTo(11);
        assertThat(read(granule(1))).isZero();
    }

    private long granule(int index) {
        return area + index * GRANULE;
    }

    private void write(long address, long value) {
        Zeroing.ADDRESS_SPACE.set(ValueLayout.JAVA_LONG, address, value);
    }

    private long read(long address) {
        return Zeroing.ADDRESS_SPACE.get(ValueLayout.JAVA_LONG, address);
    }
}
