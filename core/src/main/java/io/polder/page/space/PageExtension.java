package io.polder.page.space;

import io.polder.memory.MemoryExhaustedException;

/**
 * Makes pages longer where they are, by free granules behind them: no byte is copied.
 *
 * <pre>{@code
 *   before   [T  T][w][.][.][.]         a page, a warm granule and cold ones behind it
 *   run      [T  T][T][.][.][.]         an extent of its own, which is cleaned
 *   joined   [T  T  T][.][.][.]         one page; and so on with the next run
 * }</pre>
 *
 * <p>What may grow is placed where addresses are free behind it: in the middle of a run that is so
 * long that either half has room to grow, otherwise at the front of a run.
 *
 * <p><b>Errors.</b> What was taken and not joined is lost to its taker, and free again at the next
 * look; the page is as it was, or longer.
 *
 * <p>Thread-safe, for one thread at a time that has the page; locks as a {@link PageAllocator}.
 */
final class PageExtension {
    private final PageState state;
    private final PageAllocator allocator;
    private final Cleaner cleaner;

    PageExtension(PageState state, PageAllocator allocator, Cleaner cleaner) {
        this.state = state;
        this.allocator = allocator;
        this.cleaner = cleaner;
    }

    /**
     * Where in a run a page is placed that may grow, from its first granule.
     *
     * @param length of the run
     * @param count of the page
     * @param ahead so many granules must stay together on either side, that of the page included
     */
    static int placed(int length, int count, int ahead) {
        int half = length / 2;
        return half >= Math.max(count, ahead) ? half : 0;
    }

    /**
     * Extends a page, or does not: then it may be longer than before, and not as long as wanted.
     *
     * @param count how many granules it is to have
     * @return whether it has them
     */
    boolean extend(Extent page, int count) {
        while (page.count < count) {
            if (!extendByRun(page, count)) {
                return false;
            }
        }
        return true;
    }

    private boolean extendByRun(Extent page, int count) {
        Extent more = new Extent(state, page.grows);
        boolean joined = false;
        try {
            if (!takeBehind(page, more, count)) {
                return false;
            }
            if (cleaner.isDirty(more, !page.grows)) {
                cleaner.clean(more, !page.grows);
            }
            synchronized (state) {
                state.recoverIfNeededLocked();
                if (page.state == Extent.State.TAKEN) {
                    state.joinLocked(page, more);
                    joined = true;
                }
            }
            return joined;
        } finally {
            if (!joined && more.state != Extent.State.GONE) {
                more.abandoned = true;
                state.abandoned = true;
            }
        }
    }

    /** Takes a run behind a page, with memory. */
    private boolean takeBehind(Extent page, Extent more, int count) {
        synchronized (state) {
            state.recoverIfNeededLocked();
            boolean whose = page.owner == state && page.state == Extent.State.TAKEN;
            if (!whose || state.shut || !state.takeBehindLocked(page, more, count - page.count)) {
                return false;
            }
        }
        try {
            return more.warmTo > 0 || allocator.commit(more);
        } catch (MemoryExhaustedException refused) {
            return false; // it is put back
        }
    }
}
