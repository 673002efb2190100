package io.polder.memory;

import static io.polder.memory.MemoryProvider.REMAP_GRANULE_BYTES;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Every system call is cut short by an error in turn: no mapping is lost. */
@EnabledOnOs(OS.LINUX)
class CutOffTest {
    private static final long GRANULE = REMAP_GRANULE_BYTES;

    /**
     * Large, so that a mapping more is seen among those of the JVM; and not larger, since emulators
     * keep a table of all pages that were ever mapped, whether there is memory behind them or not.
     */
    private static final long LARGE = 1L << 32;

    private final RefusingCalls calls = new RefusingCalls();
    private final LinuxMemoryProvider provider =
            LinuxProviders.with(calls, LinuxProviders.features());
    private final long page = provider.osPageSize();

    @Test
    void reserve_cutOffAnywhere_leavesNothing() {
        provider.release(provider.reserve(page, page), page); // all classes are there
        long before = ProcessCheck.mappedBytes();
        int points = 0;
        for (int after = 0; ; after++) {
            calls.cutOff(new StackOverflowError(), after, 1);
            try {
                provider.release(provider.reserve(LARGE, LARGE), LARGE);
            } catch (StackOverflowError cutOff) {
                points++;
            }
            boolean tried = calls.hasCutOff();
            calls.allow();
            if (!tried) {
                break;
            }
            finishReleasing();
            assertThat(ProcessCheck.mappedBytes())
                    .describedAs("after=%d", after)
                    .isLessThan(before + LARGE / 2);
        }
        // Both ends unmapped, made accessible, and given back.
        assertThat(points).isGreaterThanOrEqualTo(5);
    }

    /** What is still reserved can be released. */
    private void finishReleasing() {
        for (Reservation each : provider.reservations.sorted) {
            provider.release(each.address, each.bytes());
        }
    }

    @Test
    void release_cutOff_stillStandsAndCanBeTriedAgain() {
        long address = provider.reserve(GRANULE, GRANULE);
        NativeAccess.view(address, page).fill((byte) 1);
        calls.cutOff(new StackOverflowError(), 0, 1);
        assertThatThrownBy(() -> provider.release(address, GRANULE))
                .isInstanceOf(StackOverflowError.class);
        calls.allow();
        assertThat(NativeAccess.view(address, page).get(ValueLayout.JAVA_BYTE, 0))
                .isEqualTo((byte) 1);
        provider.release(address, GRANULE);
        assertThat(provider.reservations.sorted).isEmpty();
    }

    @Test
    void remap_cutOffAtTheFirstGranule_movesNothing() {
        long from = provider.reserve(2 * GRANULE, GRANULE);
        NativeAccess.view(from, GRANULE).fill((byte) 1);
        calls.cutOff(new StackOverflowError(), 0, 1);
        assertThatThrownBy(() -> provider.remap(from, from + GRANULE, GRANULE))
                .isInstanceOf(StackOverflowError.class);
        calls.allow();
        assertThat(byteAt(from)).isEqualTo((byte) 1);
        assertThat(byteAt(from + GRANULE)).isZero();
        provider.release(from, 2 * GRANULE);
    }

    /** As kernels may: the target is unmapped, and there is no memory for the rest. */
    private static class UnmappingCalls extends RefusingCalls {
        @Override
        long mremap(long from, long to, long bytes, int flags) {
            if ((flags & LinuxConstants.MREMAP_FIXED) == 0) {
                return super.mremap(from, to, bytes, flags);
            }
            assertThat(munmap(to, bytes)).isZero();
            cutOff(new StackOverflowError(), 0, 1);
            return -Errno.ENOMEM;
        }
    }

    /** Two granules, of which the second one was unmapped. */
    private static long reserveWithAHole(LinuxMemoryProvider tested) {
        long from = tested.reserve(2 * GRANULE, GRANULE);
        assertThatThrownBy(() -> tested.remap(from, from + GRANULE, GRANULE))
                .isInstanceOf(StackOverflowError.class);
        return from;
    }

    @Test
    void remap_holeNotFilled_isLeftAlone() {
        MovableMemory.assume();
        UnmappingCalls unmapping = new UnmappingCalls();
        LinuxMemoryProvider tested = LinuxProviders.with(unmapping, LinuxProviders.features());
        long from = reserveWithAHole(tested);
        unmapping.allow();
        assertThat(tested.isWhole(from, GRANULE)).isTrue();
        assertThat(tested.isWhole(from, 2 * GRANULE)).isFalse();
        unmapping.log().clear();
        long hole = from + GRANULE;
        for (Runnable call :
                List.<Runnable>of(
                        () -> tested.commit(hole, GRANULE),
                        () -> tested.populate(hole, GRANULE),
                        () -> tested.uncommit(hole, GRANULE),
                        () -> tested.remap(from, hole, GRANULE),
                        () -> tested.remap(hole, from, GRANULE),
                        () -> tested.renew(hole, GRANULE))) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(OsCallException.class)
                    .hasMessageContaining("over a hole");
        }
        assertThat(unmapping.log()).isEmpty();
        tested.release(from, 2 * GRANULE);
        assertThat(unmapping.log()).containsExactly("munmap");
        assertThat(ProcessCheck.overlapping(from, GRANULE)).isEmpty();
    }

    /** What the system maps where a hole is may only be kept until it maps something else. */
    @Test
    void reserve_aHoleIsOffered_takesOtherAddresses() {
        MovableMemory.assume();
        OfferingCalls offering = new OfferingCalls();
        LinuxMemoryProvider tested = LinuxProviders.with(offering, LinuxProviders.features());
        long from = reserveWithAHole(tested);
        offering.allow();
        offering.offered = from + GRANULE;
        long address = tested.reserve(GRANULE, GRANULE);
        assertThat(offering.takenBack).isEqualTo(offering.offered);
        assertThat(ProcessCheck.overlapping(address, GRANULE)).isNotEmpty();
        tested.release(address, GRANULE);
        tested.release(from, 2 * GRANULE);
    }

    /** Says once that it has mapped something somewhere, and has not. */
    private static final class OfferingCalls extends UnmappingCalls {
        private long offered;
        private long takenBack;
        private boolean hasOffered;

        @Override
        long mmap(long address, long bytes, int protection, int flags) {
            if (offered == 0 || hasOffered) {
                return super.mmap(address, bytes, protection, flags);
            }
            hasOffered = true;
            return offered;
        }

        @Override
        long munmap(long address, long bytes) {
            if (address != offered) {
                return super.munmap(address, bytes);
            }
            takenBack = address;
            return 0;
        }
    }

    @Test
    void features_trialCutOffAnywhere_decidesNothing() {
        boolean found = LinuxProviders.features().dontUnmap();
        for (int after = 0; ; after++) {
            RefusingCalls trying = new RefusingCalls();
            LinuxFeatures features = new LinuxFeatures(trying, page);
            trying.cutOff(new StackOverflowError(), after, 1);
            try {
                boolean _ = features.dontUnmap();
            } catch (StackOverflowError cutOff) {
                trying.allow();
                boolean _ = features.dontUnmap();
            }
            boolean tried = trying.hasCutOff();
            trying.allow();
            assertThat(features.dontUnmap()).describedAs("after=%d", after).isEqualTo(found);
            if (!tried) {
                break;
            }
        }
    }

    /** What could not be unmapped at first, and is later, others may have by then. */
    @Test
    void reserve_cutOffWhileLeftoversAreUnmapped_unmapsNoneTwice() {
        List<long[]> unmapped = new ArrayList<>();
        RefusingCalls noting =
                new RefusingCalls() {
                    @Override
                    long munmap(long address, long bytes) {
                        long result = super.munmap(address, bytes);
                        if (result >= 0) {
                            unmapped.add(new long[] {address, address + bytes});
                        }
                        return result;
                    }
                };
        LinuxMemoryProvider tested = LinuxProviders.with(noting, LinuxProviders.features());
        noting.refuse("munmap", Errno.ENOMEM, 0);
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> tested.reserve(GRANULE, GRANULE))
                    .isInstanceOf(OsCallException.class);
        }
        noting.cutOff("munmap", new OutOfMemoryError("a test"), 1);
        assertThatThrownBy(() -> tested.reserve(GRANULE, GRANULE))
                .isInstanceOf(OutOfMemoryError.class);
        noting.allow();
        assertThat(unmapped).hasSize(1);
        long[] gone = unmapped.removeFirst();
        int flags = LinuxConstants.MAP_PRIVATE | LinuxConstants.MAP_ANONYMOUS;
        long stranger = // if nobody else has come already
                calls.mmap(
                        gone[0],
                        gone[1] - gone[0],
                        LinuxConstants.PROT_NONE,
                        flags | LinuxConstants.MAP_FIXED_NOREPLACE);
        long address = tested.reserve(GRANULE, GRANULE);
        assertThat(unmapped).noneMatch(each -> each[0] < gone[1] && gone[0] < each[1]);
        tested.release(address, GRANULE);
        if (stranger == gone[0]) {
            assertThat(calls.munmap(stranger, gone[1] - gone[0])).isZero();
        }
    }

    private byte byteAt(long address) {
        return NativeAccess.view(address, 1).get(ValueLayout.JAVA_BYTE, 0);
    }
}
