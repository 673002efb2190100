package io.polder.page.space;

import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.VirtualSpaceGrowth;
import io.polder.memory.VirtualSpaceGrowth.HugePages;

import org.jspecify.annotations.Nullable;

/**
 * How much address space is reserved for pages: much more than is committed. An assembly needs
 * contiguous addresses without memory, and addresses cost nothing. Under a limit the first
 * reservation is several times the limit, so that there is hardly ever a second one.
 *
 * <p><b>Locking.</b> The monitor of the {@link VirtualSpaceGrowth} is outside that of {@link
 * PageState}.
 */
final class PageGrowth {
    /** Guessed: nothing to a 64-bit address space. */
    static final long FIRST_BYTES = 256L << 20;

    /** Guessed: with this, a space of a terabyte has a few tens of reservations. */
    static final long LARGEST_BYTES = 64L << 30;

    /** Addresses for each byte that may be committed: guessed; a collector takes 16. */
    private static final int TIMES_LIMIT = 4;

    /** A limit above this is none for the first reservation. */
    private static final long LIMIT_MAX_BYTES = 1L << 40;

    /** One reservation takes at most half of what the limits leave. */
    private static final int SHARE_OF_LEFT = 2;

    private final PageState state;

    /** Its monitor is held by the thread that reserves. */
    final VirtualSpaceGrowth<PageReservation> reserving;

    PageGrowth(PageState state, boolean hugePages) {
        this.state = state;
        long limit = state.budget.limits.committedMaxBytes();
        this.reserving =
                new VirtualSpaceGrowth<>(
                        state,
                        new VirtualSpaceGrowth.Policy(
                                        PageSpace.GRANULE_BYTES,
                                        limit <= LIMIT_MAX_BYTES
                                                ? TIMES_LIMIT * limit
                                                : FIRST_BYTES,
                                        FIRST_BYTES,
                                        LARGEST_BYTES,
                                        SHARE_OF_LEFT,
                                        hugePages ? HugePages.WANTED : HugePages.UNSAID)
                                .within(state.budget.limits));
    }

    /**
     * Reserves contiguous addresses for so many granules, unless somebody just has.
     *
     * @return why it could not; null if there are such addresses now
     */
    @Nullable MemoryExhaustedException reserve(int count) {
        synchronized (reserving) {
            synchronized (state) {
                state.recoverIfNeededLocked();
                state.checkOpenLocked();
                if (state.hasColdLocked(count)) {
                    return null;
                }
            }
            return reserving.reserve(Granules.bytes(count));
        }
    }
}
