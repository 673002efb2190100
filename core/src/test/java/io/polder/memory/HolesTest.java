package io.polder.memory;

import static io.polder.memory.MemoryProvider.REMAP_GRANULE_BYTES;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.arena.Seed;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** What the kernel unmapped and refused to map again is nobody's memory, no matter who is there. */
@EnabledOnOs(OS.LINUX)
class HolesTest {
    private static final long GRANULE = REMAP_GRANULE_BYTES;
    private static final int OPERATIONS = 400;

    private final List<long[]> reserved = new ArrayList<>();

    @Test
    void randomCalls_neverTouchWhatStrangersHave() {
        MovableMemory.assume();
        long seed = Seed.get();
        Seed.naming(seed, () -> run(new SplittableRandom(seed)));
    }

    private void run(SplittableRandom random) {
        HolingMemory memory = new HolingMemory(random.split());
        MemoryProvider provider = memory.provider();
        for (int i = 0; i < OPERATIONS; i++) {
            try {
                step(memory, random);
            } catch (OsCallException refused) {
                assertThat(refused.isExhaustion()).isTrue();
            }
            memory.checkStrangers();
        }
        assertThat(memory.holes()).isGreaterThan(OPERATIONS / 50);
        assertThat(memory.met()).isGreaterThan(OPERATIONS / 100);
        for (long[] each : reserved) {
            release(provider, each);
            memory.checkStrangers();
        }
        memory.heal();
    }

    /** One call on random granules. What it is granted is written to. */
    private void step(HolingMemory memory, SplittableRandom random) {
        MemoryProvider provider = memory.provider();
        if (reserved.size() < 2 || random.nextInt(20) == 0) {
            long bytes = GRANULE * (2 + random.nextInt(12));
            reserved.add(new long[] {provider.reserve(bytes, GRANULE), bytes});
            return;
        }
        long[] one = reserved.get(random.nextInt(reserved.size()));
        long granules = one[1] / GRANULE;
        long first = random.nextLong(granules);
        long address = one[0] + first * GRANULE;
        long bytes = GRANULE * (1 + random.nextLong(Math.min(3, granules - first)));
        switch (random.nextInt(12)) {
            case 0 -> {
                if (reserved.size() > 3) {
                    release(provider, one);
                    reserved.remove(one);
                }
            }
            case 1 -> provider.uncommit(address, bytes);
            case 2 -> provider.uncommit(new long[] {address}, new long[] {bytes}, 1);
            case 3 -> provider.populate(address, bytes);
            case 4 -> provider.adviseHugePages(address, bytes, random.nextBoolean());
            case 5, 6 -> provider.renew(address, bytes);
            case 7, 8, 9 -> {
                long[] other = reserved.get(random.nextInt(reserved.size()));
                long to = other[0] + random.nextLong(other[1] / GRANULE) * GRANULE;
                if (to != address) {
                    provider.remap(address, to, GRANULE);
                    NativeAccess.view(to, GRANULE).fill((byte) 2);
                }
            }
            default -> {
                provider.commit(address, bytes);
                assertThat(provider.isWhole(address, bytes)).isTrue();
                memory.checkOurs(address, bytes);
                NativeAccess.view(address, bytes).fill((byte) 1);
            }
        }
    }

    private static void release(MemoryProvider provider, long[] each) {
        provider.release(each[0], each[1]);
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> provider.commit(each[0], GRANULE));
    }

    /** What would be refused is found out before anything is unmapped. */
    @Test
    void remap_addressesRunOut_unmapsNothing() {
        MovableMemory.assume();
        RefusingCalls calls = new RefusingCalls();
        LinuxMemoryProvider provider = LinuxProviders.with(calls, LinuxProviders.features());
        long from = provider.reserve(2 * GRANULE, GRANULE);
        NativeAccess.view(from, GRANULE).fill((byte) 1);
        assertThat(provider.canRemap()).isTrue();
        for (String refused : List.of("mmap", "mremap(ANYWHERE)")) {
            long before = ProcessCheck.mappedBytes();
            calls.log().clear();
            calls.refuse(refused, Errno.ENOMEM, 0);
            assertThatExceptionOfType(OsCallException.class)
                    .isThrownBy(() -> provider.remap(from, from + GRANULE, GRANULE))
                    .withMessageContaining("mremap: errno=ENOMEM (12)");
            calls.allow();
            assertThat(calls.log()).contains(refused).doesNotContain("mremap", "mmap(FIXED)");
            assertThat(provider.isWhole(from, 2 * GRANULE)).isTrue();
            // Other threads of the JVM map a little meanwhile.
            assertThat(ProcessCheck.mappedBytes()).isLessThan(before + (64 << 20));
        }
        provider.release(from, 2 * GRANULE);
    }

    @Test
    void release_pieceRefused_canBeTriedAgain() {
        MovableMemory.assume();
        RefusingCalls calls =
                new RefusingCalls() {
                    @Override
                    long mremap(long from, long to, long bytes, int flags) {
                        if ((flags & LinuxConstants.MREMAP_FIXED) == 0) {
                            return super.mremap(from, to, bytes, flags);
                        }
                        assertThat(munmap(to, bytes)).isZero();
                        return -Errno.ENOMEM;
                    }
                };
        LinuxMemoryProvider provider = LinuxProviders.with(calls, LinuxProviders.features());
        long from = provider.reserve(4 * GRANULE, GRANULE);
        calls.refuse("mmap(NOREPLACE)", Errno.ENOMEM, 0);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.remap(from, from + GRANULE, GRANULE));
        assertThat(provider.isWhole(from, 4 * GRANULE)).isFalse();
        assertThat(provider.isWhole(from + 2 * GRANULE, 2 * GRANULE)).isTrue();
        calls.refuse("munmap", Errno.ENOMEM, 1);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.release(from, 4 * GRANULE));
        calls.refuse("mmap(NOREPLACE)", Errno.ENOMEM, 0);
        assertThat(provider.isWhole(from, GRANULE)).isFalse();
        provider.release(from, 4 * GRANULE);
        assertThat(provider.reservations.sorted).isEmpty();
        assertThat(ProcessCheck.overlapping(from, 4 * GRANULE)).isEmpty();
    }
}
