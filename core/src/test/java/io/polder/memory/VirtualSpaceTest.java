package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.polder.memory.FailingMemoryProvider.Call;
import io.polder.memory.VirtualSpaceGrowth.HugePages;
import io.polder.memory.VirtualSpaceGrowth.Policy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Objects;

/** How address space is reserved, charged, released, and what an error leaves of it. */
class VirtualSpaceTest {
    private static final long MIB = 1 << 20;
    private static final long UNIT = 4 * MIB;

    /** Addresses; none of the ranges is more than a small part of that. */
    private static final long LIMIT = 64L << 30;

    /** An owner that knows nothing of its ranges. */
    private static final class Plain extends VirtualSpace<ReservedSpace> {
        int recoveries;
        int added;
        @Nullable Error thrown;

        Plain(MemoryProvider provider, MemoryBudget budget) {
            super(provider, budget, new ReservedSpace[0]);
        }

        @Override
        public void recoverIfNeededLocked() {
            if (inTransition) {
                recoverLocked();
            }
        }

        @Override
        protected ReservedSpace toReserve(long bytes) {
            return new ReservedSpace(bytes);
        }

        @Override
        protected void addedLocked(ReservedSpace range, boolean committed) {
            Error error = thrown;
            thrown = null;
            if (error != null) {
                throw error;
            }
            added++;
        }

        @Override
        protected long rebuildLocked() {
            recoveries++;
            return 0;
        }

        long[] sizes() {
            synchronized (this) {
                recoverIfNeededLocked();
                VirtualSpaceCheck.verifyLocked(this, () -> "");
                return Arrays.stream(reserved).mapToLong(ReservedSpace::bytes).toArray();
            }
        }
    }

    private final FailingMemoryProvider provider =
            new FailingMemoryProvider(Providers.choose().provider());
    private final MemoryBudget budget =
            new MemoryBudget(new MemoryLimits(64 * MIB, LIMIT), "of-a-test");
    private final Plain space = new Plain(provider, budget);
    private final VirtualSpaceGrowth<ReservedSpace> growth =
            new VirtualSpaceGrowth<>(
                    space, new Policy(UNIT, 16 * MIB, 64 * MIB, 2, HugePages.UNSAID));

    @AfterEach
    void nothingIsLeft() {
        for (ReservedSpace range : space.reserved) {
            assertThat(space.release(range)).isTrue();
        }
        synchronized (space) {
            space.inTransition = true;
            space.recoverIfNeededLocked();
            VirtualSpaceCheck.verifyLocked(space, () -> "");
        }
        assertThat(space.reserved).isEmpty();
        assertThat(budget.reserved.bytes()).isZero();
        assertThat(budget.committed.bytes()).isZero();
        assertThat(provider.reservedBytes()).isZero();
    }

    @Test
    void reserve_againAndAgain_doubles() {
        for (int i = 0; i < 3; i++) {
            assertThat(growth.reserve(UNIT)).isNull();
        }
        assertThat(space.sizes()).containsExactlyInAnyOrder(16 * MIB, 32 * MIB, 64 * MIB);
        assertThat(budget.reserved.bytes()).isEqualTo(112 * MIB).isEqualTo(space.reservedBytes);
        assertThat(space.added).isEqualTo(3);
    }

    @Test
    void reserve_closeToTheLimit_takesAShareOfWhatIsLeft_andThenWhatIsNeeded() {
        assertThat(growth.reserve(LIMIT - 16 * MIB)).isNull();
        assertThat(growth.reserve(UNIT)).isNull();
        assertThat(growth.reserve(2 * UNIT)).isNull();
        assertThat(space.sizes()).containsExactlyInAnyOrder(LIMIT - 16 * MIB, 2 * UNIT, 2 * UNIT);
        MemoryExhaustedException failure = growth.reserve(UNIT);
        assertThat(failure).isNotNull().hasMessageContaining("reservedMaxBytes=" + LIMIT);
        assertThat(space.refusals).isZero();
    }

    /** An error that left something to recover may have been that the Java heap is full. */
    @Test
    void recover_aRangeThatHasCome_makesNoObject() {
        assertThat(growth.reserve(UNIT)).isNull();
        Runnable recovering =
                () -> {
                    for (int i = 0; i < 10_000; i++) {
                        space.coming = space.reserved[0];
                        space.inTransition = true;
                        space.recoverIfNeededLocked();
                    }
                };
        recovering.run(); // what the first time takes
        assertThat(JavaHeap.allocatedBy(recovering)).isLessThan(JavaHeap.NEXT_TO_NOTHING);
        assertThat(space.coming).isNull();
    }

    /** The system hands out again what it got back before its last owner knows of it. */
    @Test
    void containing_aRangeThatIsBeingReleased_findsWhoHasItsAddressesNow() {
        assertThat(growth.reserve(UNIT)).isNull();
        assertThat(growth.reserve(UNIT)).isNull();
        ReservedSpace low = space.reserved[0];
        ReservedSpace released = space.reserved[1];
        long address = released.address;
        released.inFlight = true;
        for (long offset : new long[] {0, UNIT}) {
            released.address = low.address() + offset;
            assertThat(space.containingLocked(low.address() + offset)).isSameAs(low);
            assertThat(space.containingLocked(low.address() + offset + UNIT)).isSameAs(low);
            VirtualSpaceCheck.verifyLocked(space, () -> "");
        }
        released.inFlight = false;
        assertThatThrownBy(() -> VirtualSpaceCheck.verifyLocked(space, () -> ""))
                .hasMessageContaining("spaces are apart");
        released.inFlight = true;
        released.address = address;
        assertThat(space.containingLocked(address)).isNull();
        released.inFlight = false;
        assertThat(space.containingLocked(address)).isSameAs(released);
    }

    @Test
    void reserve_refusedForWantOfRoom_halves() {
        provider.failAlways(Call.RESERVE, Errno.ENOMEM);
        MemoryExhaustedException failure = growth.reserve(UNIT);
        assertThat(failure).isNotNull();
        assertThat(provider.calls(Call.RESERVE)).as("16, 8 and 4 MiB").isEqualTo(3);
        assertThat(space.refusals).isEqualTo(3);
        assertThat(space.lastRefusal).isSameAs(Objects.requireNonNull(failure).getCause());
        assertThat(budget.reserved.bytes()).isZero();
        provider.heal();
    }

    @Test
    void reserve_errorAfterTheAddressCame_keepsIt() {
        space.thrown = new StackOverflowError();
        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(() -> growth.reserve(UNIT));
        assertThat(space.inTransition).isTrue();
        assertThat(space.sizes()).containsExactly(16 * MIB);
        assertThat(space.recoveries).isEqualTo(1);
        assertThat(space.coming).isNull();
        assertThat(budget.reserved.bytes()).isEqualTo(16 * MIB);
    }

    @Test
    void release_refused_keepsTheRange() {
        assertThat(growth.reserve(UNIT)).isNull();
        provider.failAlways(Call.RELEASE, Errno.ENOMEM);
        ReservedSpace range = space.reserved[0];
        assertThat(space.release(range)).isFalse();
        assertThat(range.released).isFalse();
        assertThat(space.refusals).isEqualTo(1);
        assertThat(space.sizes()).hasSize(1);
        provider.heal();
    }

    @Test
    void containing_addressInside_isFound() {
        for (int i = 0; i < 3; i++) {
            assertThat(growth.reserve(UNIT)).isNull();
        }
        synchronized (space) {
            for (ReservedSpace range : space.reserved) {
                assertThat(space.containingLocked(range.address())).isSameAs(range);
                assertThat(space.containingLocked(range.address() + range.bytes() - 1))
                        .isSameAs(range);
            }
            assertThat(space.containingLocked(0)).isNull();
            assertThat(space.containingLocked(Long.MAX_VALUE)).isNull();
        }
    }
}
