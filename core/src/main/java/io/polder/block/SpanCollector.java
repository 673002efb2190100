package io.polder.block;

import io.polder.chunk.Chunk;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Goes to the owners of a space, revokes them, and takes what they do not use: the empty spans, and
 * what they have freed of each other's.
 *
 * <pre>{@code
 *   collect   all owners           -->  EmptySpans       each tick, each trim
 *   handOver  owners with a batch  -->  spans of others  the same, and the close
 *   lost      all that errors left in a closed space
 * }</pre>
 *
 * <p>All that are to be revoked are asked first, so that one fence does for all.
 *
 * <p>Thread-safe, with the monitors that {@link BlockSpace} names.
 */
record SpanCollector(BlockSpace space) {

    /** Revokes all owners; returns whether none is inside any more. */
    boolean revokeAll() {
        boolean all = true;
        for (ThreadHeap owner : asked(_ -> true)) {
            synchronized (owner) {
                all &= owner.revokeLocked();
            }
        }
        return all;
    }

    /** Owners that are to be revoked: one fence will do for all. */
    private List<ThreadHeap> asked(Predicate<ThreadHeap> which) {
        List<ThreadHeap> asked = new ArrayList<>();
        for (ThreadHeap owner : space.owners.all()) { // no stream: see ClassPreloader
            if (which.test(owner)) {
                asked.add(owner);
                synchronized (owner) {
                    boolean _ = owner.askLocked();
                }
            }
        }
        return asked;
    }

    /**
     * Has what threads freed of each other's get to its spans; they are revoked for that.
     *
     * @return whether some is left, of a thread that could not be
     */
    boolean handOver() {
        boolean left = false;
        for (ThreadHeap owner : asked(each -> each.batch.span != null)) {
            synchronized (owner) {
                boolean _ = owner.revokeLocked() && owner.batch.handOver(space.lost);
                left |= owner.batch.span != null;
            }
        }
        return left;
    }

    /**
     * Retires the spans that owners do not use, and forgets owners without any. An owner that calls
     * nothing is left revoked: its next call wakes the ticks, so these can end.
     *
     * @return whether any has something still that it may free without telling anybody
     */
    boolean collect() {
        boolean found = handOver();
        long id = Thread.currentThread().threadId();
        List<ThreadHeap> all = space.owners.all();
        for (ThreadHeap owner : all) {
            synchronized (owner) {
                found |= owner.askLocked();
            }
        }
        for (ThreadHeap owner : all) {
            owner.claimed = id; // also if another has, who leaves it to this one
            synchronized (owner) { // who added a span under it, and woke the task, is seen
                found |= !owner.revokeLocked() || owner.collectLocked() > 0;
            }
            if (owner.claimed == id) {
                owner.claimed = 0;
            }
        }
        space.owners.forgetUnused();
        return found;
    }

    /**
     * What errors lost. If no blocks of a closed space are used but lost ones, their spans are lost
     * as well, and those of which an announcement was. Without an error nothing is: what others
     * free at that moment goes back with the next tick.
     *
     * <p>What is lost is unmapped next. So who has a block that counts as free must not write to it
     * any more: the last write to a block comes before the store that frees it, but where {@link
     * CheckedBlocks} paint it, whose lock is held.
     */
    Lost lost() {
        if (!space.closed || space.lost.blocks + space.lost.announcements == 0) {
            return space.lost;
        }
        if (!revokeAll() || handOver()) {
            return space.lost; // it may be about to allocate, or free
        }
        Set<Span> spans = space.map.spans();
        long used = 0;
        for (Span span : spans) {
            used += SizeTotals.usedCount(span);
        }
        if (used > space.lost.blocks) {
            return space.lost;
        }
        for (Span span : spans) {
            if (span.usedOpaque() > 0 || span.isAnnounced()) {
                loseSpan(span);
            }
        }
        return space.lost;
    }

    private void loseSpan(Span span) {
        if (span.isLarge()) {
            space.map.remove(span);
            space.lost.pageBytes += span.blockBytes;
            return;
        }
        ThreadHeap owner = span.owner;
        synchronized (owner) {
            if (!span.empty) { // else it was announced after all
                space.map.remove(span);
                owner.unlinkLocked(span);
                space.lost.chunkBytes += Chunk.bytes(span.chunk);
                span.chunk = Chunk.NONE;
            }
        }
    }
}
