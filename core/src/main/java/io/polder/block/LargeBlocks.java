package io.polder.block;

import io.polder.memory.MemoryExhaustedException;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

/**
 * Blocks that are larger than any size class: a page each.
 *
 * <pre>{@code
 *             page                 freed                 page is given
 *   coming ---------> used ---------------------> gone ----------------> nothing
 *      |                                            ^
 *      +---- an error, before it was handed out ----+
 * }</pre>
 *
 * <p>They belong to no thread: any may free one, by one compare-and-set that decides. Their pages
 * need not be zero, so nothing is cleared where nobody asks for it.
 *
 * <p>Invariant: every span of a large block is in the list from before it has a page until that was
 * given, and marked {@link Span#empty} when it is to be given.
 *
 * <p><b>Errors.</b> What could not be given is given by the next who looks, see {@link #settle}.
 *
 * <p>Thread-safe. The lock guards the list, and is held for a few stores; that of a span is held
 * while its page is given.
 */
final class LargeBlocks {
    private final PageSpace pages;
    private final SpanMap map;
    private @Nullable Span first;

    /** Whether one may be in the list that is gone. */
    private volatile boolean owes;

    LargeBlocks(PageSpace pages, SpanMap map) {
        this.pages = pages;
        this.map = map;
    }

    /**
     * Allocates a block.
     *
     * @param bytes how much, within what address spaces have
     * @param zero whether it must read as zero
     * @throws MemoryExhaustedException if there is no memory for it
     */
    long allocate(long bytes, boolean zero) {
        settle();
        Span span = Span.large();
        boolean handedOut = false;
        try {
            link(span);
            span.page = pages.take(bytes, zero);
            span.formatLarge();
            map.add(span);
            handedOut = true;
            return span.base;
        } finally {
            if (!handedOut) {
                span.used = 0;
                span.empty = true;
                owes = true;
            }
        }
    }

    /**
     * Frees a block.
     *
     * @return false if it was free already
     */
    boolean free(Span span) {
        if (!span.freeLarge()) {
            return false;
        }
        span.empty = true;
        try {
            give(span);
        } catch (Throwable later) {
            owes = true; // it is freed, and whoever comes next does the rest
        }
        return true;
    }

    private void give(Span span) {
        synchronized (span) {
            Extent page = span.page;
            if (page != null) {
                map.remove(span);
                pages.give(page, page.bytes());
                span.page = null;
            }
        }
        unlink(span);
    }

    private synchronized void link(Span span) {
        Span second = first;
        span.next = second;
        if (second != null) {
            second.previous = span;
        }
        first = span;
    }

    private synchronized void unlink(Span span) {
        Span before = span.previous;
        Span after = span.next;
        if (before != null) {
            before.next = after;
        } else if (first == span) {
            first = after;
        }
        if (after != null) {
            after.previous = before;
        }
        span.previous = null;
        span.next = null;
    }

    /** Gives back what an error kept from being given. */
    void settle() {
        if (!owes) {
            return;
        }
        owes = false;
        boolean settled = false;
        try {
            for (Span span = firstGone(); span != null; span = firstGone()) {
                give(span);
            }
            settled = true;
        } finally {
            if (!settled) {
                owes = true;
            }
        }
    }

    private synchronized @Nullable Span firstGone() {
        Span span = first;
        while (span != null && !span.empty) {
            span = span.next;
        }
        return span;
    }

    /** How many blocks are used, and how large they are together. */
    synchronized Sum sum() {
        long count = 0;
        long bytes = 0;
        for (Span span = first; span != null; span = span.next) {
            if (span.usedOpaque() > 0) {
                count++;
                bytes += span.blockBytes;
            }
        }
        return new Sum(count, bytes);
    }

    /**
     * Blocks.
     *
     * @param count how many
     * @param bytes how large they are together
     */
    record Sum(long count, long bytes) {}
}
