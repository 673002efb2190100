package io.polder.page.space;

import io.polder.memory.Zeroing;

import org.jspecify.annotations.Nullable;

import java.util.BitSet;

/**
 * Writes zeros over what earlier owners left in granules.
 *
 * <p>By zeroing and never by uncommitting, whatever the size: the next owner's page faults cost
 * several times as much; to measure it, {@code bench/run CleaningGranules}. What nobody takes again
 * is uncommitted by the {@link Decay}, and clean then.
 *
 * <p>Thread-safe: a free granule is claimed while it is cleaned; a page is cleaned by who took it.
 */
final class Cleaner {
    private final PageState state;

    Cleaner(PageState state) {
        this.state = state;
    }

    /** Cleans what is dirty of an extent that the caller has. */
    static void clean(Extent extent) {
        BitSet dirty = extent.dirty;
        if (dirty == null) {
            return;
        }
        for (int from = dirty.nextSetBit(0); from >= 0; ) {
            int to = dirty.nextClearBit(from);
            Zeroing.zero(extent.address() + Granules.bytes(from), Granules.bytes(to - from));
            from = dirty.nextSetBit(to);
        }
        extent.dirty = null;
    }

    /**
     * Cleans free granules, from the lowest address up.
     *
     * @param most how many at most
     * @return how many
     */
    int cleanFree(int most) {
        for (int done = 0; done < most; done++) {
            Extent granule = claimDirty();
            if (granule == null) {
                return done;
            }
            try {
                clean(granule);
            } finally {
                try (PageLock _ = state.lock()) {
                    state.returnWarmLocked(granule);
                }
            }
        }
        return most;
    }

    private @Nullable Extent claimDirty() {
        try (PageLock _ = state.lock()) {
            for (Area area : state.areasLocked()) {
                Extent run = area.lowestDirty();
                if (run != null) {
                    return state.claimWarmLocked(run, area.firstDirty(run), 1);
                }
            }
            return null;
        }
    }
}
