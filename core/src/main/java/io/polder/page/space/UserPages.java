package io.polder.page.space;

import io.polder.leak.Kind;
import io.polder.leak.LeakDetector;
import io.polder.leak.LeakTracker;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryExhaustedException;

import org.jspecify.annotations.Nullable;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Takes the pages that users get, and knows those that are closed and kept by a view.
 *
 * <p>Before a page is refused, the pool is asked for room.
 *
 * <p>Thread-safe.
 */
final class UserPages {
    final PageSpace space;
    private final @Nullable LeakDetector leaks;

    /** Those that are closed, and that a view keeps. */
    final Set<UserPage> kept = ConcurrentHashMap.newKeySet();

    /**
     * No pages yet.
     *
     * @param space where pages come from
     * @param leaks finds pages that are not closed; null if nobody wants to know
     */
    UserPages(PageSpace space, @Nullable LeakDetector leaks) {
        this.space = space;
        this.leaks = leaks;
    }

    /** One of the ways to have memory. */
    interface Attempt<E extends Exception> {
        Extent take() throws E;
    }

    /**
     * Takes a page in one of the ways, which is tried again as long as the pool makes room.
     *
     * @param waits whether that has waited for room itself
     */
    <E extends Exception> UserPage take(Attempt<E> attempt, boolean waits) throws E {
        int left = Exhaustion.ATTEMPTS_MAX;
        while (true) {
            long ended = space.exhaustion.closesEnded();
            try {
                Extent extent = attempt.take();
                try {
                    LeakTracker tracker = leaks == null ? null : leaks.track(Kind.PAGE);
                    return new UserPage(this, extent, tracker);
                } catch (Throwable failure) {
                    extent.abandoned = true; // in place: a call may fail as well
                    space.state.abandoned = true;
                    space.requests.reclaim(extent); // tells who waits, and a closed pool
                    throw failure;
                }
            } catch (MemoryExhaustedException exhausted) {
                if (!waits || left == 0 || exhausted.never()) {
                    left = space.exhaustion.makeRoom(left, ended, exhausted);
                } else {
                    left = space.exhaustion.makeRoom() ? left - 1 : 0;
                }
            }
        }
    }

    /** Gives back what views keep whose end nobody was told of; returns how many are kept. */
    int keptByViews() {
        kept.forEach(UserPage::giveIfUnviewed);
        return kept.size();
    }
}
