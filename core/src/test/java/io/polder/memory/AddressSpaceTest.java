package io.polder.memory;

import static io.polder.memory.AddressSpace.FIRST_BYTES;
import static io.polder.memory.AddressSpace.LEAST_LEFT_BYTES;
import static io.polder.memory.AddressSpace.SHARE_MAX_BYTES;
import static io.polder.memory.AddressSpace.SHARE_MIN_BYTES;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A limit on address space, with a kernel's files in a folder, and the real ones. */
@EnabledOnOs(OS.LINUX)
class AddressSpaceTest {
    private static final long MIB = 1L << 20;
    private static final long GIB = 1L << 30;
    private static final long PAGE = 4096;

    @TempDir Path folder = Path.of("replaced by JUnit");

    /** Real calls, but for the limit. */
    private static final class LimitedCalls extends LinuxCalls {
        private long limit = Long.MAX_VALUE;
        private long dataLimit = Long.MAX_VALUE;

        @Override
        long addressSpaceMax() {
            return limit;
        }

        @Override
        long dataMax() {
            return dataLimit;
        }
    }

    private final LimitedCalls calls = new LimitedCalls();

    private AddressSpace taken(long bytes) throws IOException {
        return told("Name:\tVmSize:\nVmPeak:\t 99999 kB\nVmSize:\t  " + (bytes >> 10) + " kB\n");
    }

    private AddressSpace told(String text) throws IOException {
        Path status = folder.resolve("status");
        Files.writeString(status, text);
        return new AddressSpace(calls, status);
    }

    @Test
    void room_noLimit_isAll() throws IOException {
        assertThat(taken(GIB).roomBytes(0)).isEqualTo(Long.MAX_VALUE);
        assertThat(taken(GIB).leaves(1L << 46)).isTrue();
        calls.limit = -Errno.EPERM;
        assertThat(taken(GIB).roomBytes(0)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void room_limit_leavesAnEighthToTheJvm() throws IOException {
        calls.limit = 4 * GIB;
        assertThat(taken(GIB).roomBytes(0)).isEqualTo(3 * GIB - GIB / 2);
        assertThat(taken(4 * GIB - 100 * MIB).roomBytes(GIB)).isEqualTo(100 * MIB - GIB / 2);
    }

    @Test
    void room_limitOfData_countsWhatMayBeWritten() throws IOException {
        calls.dataLimit = 2 * GIB;
        AddressSpace space = told("VmSize:\t 999999999 kB\nVmData:\t 1048576 kB\n");
        assertThat(space.roomBytes(0)).isEqualTo(GIB - GIB / 4);
        assertThat(space.leaves(GIB - LEAST_LEFT_BYTES)).isTrue();
        assertThat(space.leaves(GIB - LEAST_LEFT_BYTES + 1)).isFalse();
    }

    @Test
    void room_bothLimits_isTheLesser() throws IOException {
        calls.limit = 8 * GIB;
        calls.dataLimit = 4 * GIB;
        AddressSpace data = told("VmSize:\t 2097152 kB\nVmData:\t 2097152 kB\n");
        assertThat(data.roomBytes(0)).isEqualTo(2 * GIB - GIB / 2);
        calls.dataLimit = 64 * GIB;
        assertThat(data.roomBytes(0)).isEqualTo(6 * GIB - GIB);
    }

    @Test
    void room_smallAndLargeLimits_keepTheShareWithinItsBounds() throws IOException {
        calls.limit = GIB / 2;
        assertThat(taken(GIB / 4).roomBytes(0)).isEqualTo(GIB / 4 - SHARE_MIN_BYTES);
        calls.limit = 100 * GIB;
        assertThat(taken(GIB).roomBytes(0)).isEqualTo(99 * GIB - SHARE_MAX_BYTES);
    }

    @Test
    void room_lessThanTheShareLeft_isTheFirstFew() throws IOException {
        calls.limit = GIB;
        AddressSpace scarce = taken(GIB - 100 * MIB);
        assertThat(scarce.roomBytes(0)).isEqualTo(FIRST_BYTES);
        assertThat(scarce.roomBytes(12 * MIB)).isEqualTo(FIRST_BYTES - 12 * MIB);
        assertThat(scarce.roomBytes(FIRST_BYTES)).isZero();
        assertThat(taken(GIB - LEAST_LEFT_BYTES).roomBytes(0)).isZero();
    }

    @Test
    void leaves_limit_keepsTheLeast() throws IOException {
        calls.limit = GIB;
        AddressSpace scarce = taken(GIB - 100 * MIB);
        assertThat(scarce.leaves(100 * MIB - LEAST_LEFT_BYTES)).isTrue();
        assertThat(scarce.leaves(100 * MIB - LEAST_LEFT_BYTES + 1)).isFalse();
    }

    @Test
    void room_unreadableFile_isAll() throws IOException {
        calls.limit = GIB;
        AddressSpace none = new AddressSpace(calls, folder.resolve("none"));
        assertThat(none.roomBytes(0)).isEqualTo(Long.MAX_VALUE);
        for (String odd :
                new String[] {"", "what?\n", "VmSize:", "VmSize:\tlots\n", "xVmSize: 1 kB"}) {
            assertThat(told(odd).roomBytes(0)).as(odd).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    @RealKernel // an emulator takes address space, too
    void room_thisProcess_countsWhatIsMapped() {
        AddressSpace real = new AddressSpace(calls);
        calls.limit = 1L << 46;
        // Other threads of the JVM map and unmap meanwhile, at times a lot: then once more.
        long difference = Long.MAX_VALUE;
        for (int i = 0; i < 50 && difference > GIB / 4; i++) {
            long mapped = ProcessCheck.mappedBytes();
            long counted = calls.limit - SHARE_MAX_BYTES - real.roomBytes(0);
            difference = Math.abs(counted - mapped);
        }
        assertThat(difference).isLessThanOrEqualTo(GIB / 4);
    }

    @Test
    void addressSpaceMax_thisProcess_isWhatTheShellSays() throws IOException {
        String limits = Files.readString(Path.of("/proc/self/limits"));
        String line =
                limits.lines()
                        .filter(each -> each.startsWith("Max address space"))
                        .findFirst()
                        .orElseThrow();
        String soft = line.substring("Max address space".length()).trim().split(" +", 2)[0];
        long expected = soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
        assertThat(new LinuxCalls().addressSpaceMax()).isEqualTo(expected);
    }

    /** A shrinker with one reservation in which everything is free. */
    private static class FreeReservation implements MemoryBudget.Shrinker {
        private final MemoryProvider provider;
        private final MemoryBudget budget;
        private final long address;
        private long bytes;

        FreeReservation(MemoryProvider provider, MemoryBudget budget, long bytes) {
            this.provider = provider;
            this.budget = budget;
            this.address = provider.reserve(bytes, MIB);
            this.bytes = bytes;
            assertThat(budget.reserved.tryCharge(bytes)).isTrue();
        }

        @Override
        public long uncommitFree(long wantedBytes) {
            return 0;
        }

        @Override
        public long releaseFree(long wantedBytes) {
            long released = bytes;
            if (released > 0) {
                provider.release(address, released);
                budget.reserved.refund(released);
                bytes = 0;
            }
            return released;
        }
    }

    @Test
    @RealKernel // an emulator takes address space, too
    void reserve_shareOfTheJvm_isRefusedAfterPoolsReleasedWhatIsFree() {
        LinuxMemoryProvider provider = LinuxProviders.with(calls, LinuxProviders.features());
        MemoryBudget budget = new MemoryBudget(MemoryLimits.NONE, "");
        provider.serves(budget);
        FreeReservation free = new FreeReservation(provider, budget, 20 * GIB);
        budget.add(free);
        // Room for another 10 GiB, or for 30 if the 20 are released.
        calls.limit = ProcessCheck.mappedBytes() + SHARE_MAX_BYTES + 10 * GIB;
        assertThat(provider.reservableAheadBytes()).isBetween(9 * GIB, 11 * GIB);
        long small = provider.reserve(5 * GIB, MIB);
        assertThat(free.bytes).isEqualTo(20 * GIB);
        long large = provider.reserve(15 * GIB, MIB);
        assertThat(free.bytes).isZero();
        assertThat(budget.reserved.bytes()).isZero();
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.reserve(15 * GIB, MIB))
                .withMessageContaining(
                        "mmap within RLIMIT_AS and RLIMIT_DATA, less the share of the JVM:"
                                + " errno=ENOMEM (12)")
                .matches(OsCallException::isExhaustion);
        provider.release(small, 5 * GIB);
        provider.release(large, 15 * GIB);
        assertThat(provider.reservations.sorted).isEmpty();
    }

    /** What was free is gone, and the addresses are there: no pool has anything to release. */
    @Test
    @RealKernel
    void reserve_othersReleaseWhatIsFreeMeanwhile_isTriedAgain() {
        LinuxMemoryProvider provider = LinuxProviders.with(calls, LinuxProviders.features());
        MemoryBudget budget = new MemoryBudget(MemoryLimits.NONE, "");
        provider.serves(budget);
        budget.add(
                new FreeReservation(provider, budget, 20 * GIB) {
                    @Override
                    public long releaseFree(long wantedBytes) {
                        assertThat(super.releaseFree(wantedBytes)).isPositive(); // by others
                        return 0;
                    }
                });
        calls.limit = ProcessCheck.mappedBytes() + SHARE_MAX_BYTES + 10 * GIB;
        provider.release(provider.reserve(15 * GIB, MIB), 15 * GIB);
    }

    @Test
    void reserve_refusedByTheKernel_isTriedAgainWhenPoolsReleasedSomething() {
        reserveRefusedByTheKernel(new RefusingCalls());
    }

    /** Mappings may run out, or what the kernel charges, where a limit on addresses is far away. */
    @Test
    void reserve_refusedByTheKernelFarFromALimit_isTriedAgainAsWell() {
        reserveRefusedByTheKernel(
                new RefusingCalls() {
                    @Override
                    long addressSpaceMax() {
                        return 1L << 46;
                    }
                });
    }

    private static void reserveRefusedByTheKernel(RefusingCalls refusing) {
        LinuxMemoryProvider provider = LinuxProviders.with(refusing, LinuxProviders.features());
        MemoryBudget budget = new MemoryBudget(MemoryLimits.NONE, "");
        budget.add(new FreeReservation(provider, budget, MIB));
        provider.serves(budget);
        refusing.log().clear();
        refusing.refuse("mprotect", Errno.ENOMEM, 0);
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.reserve(MIB, MIB));
        assertThat(refusing.log().stream().filter("mmap"::equals)).hasSize(2);
        refusing.log().clear();
        assertThatExceptionOfType(OsCallException.class)
                .isThrownBy(() -> provider.reserve(MIB, MIB));
        assertThat(refusing.log().stream().filter("mmap"::equals)).hasSize(1);
    }

    @Test
    void reservableAhead_strictOvercommit_isNothing() throws IOException {
        Path mode = folder.resolve("proc/sys/vm/overcommit_memory");
        Files.createDirectories(mode.getParent());
        for (int each = 0; each <= 2; each++) {
            Files.writeString(mode, each + "\n");
            LinuxMemoryProvider provider =
                    new LinuxMemoryProvider(
                            calls,
                            LinuxProviders.features(),
                            PAGE,
                            new LazyLimits(folder),
                            new AddressSpace(calls));
            assertThat(provider.reservableAheadBytes()).isEqualTo(each == 2 ? 0 : Long.MAX_VALUE);
            assertThat(provider.leavesToJdk(GIB)).isTrue();
        }
    }
}
