package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

import io.polder.chunk.Chunk;

import java.util.HashSet;
import java.util.Set;

/** Checks the invariants of a {@link BlockSpace}, while no thread uses it. */
final class BlockCheck {
    private final BlockSpace space;

    BlockCheck(BlockSpace space) {
        this.space = space;
    }

    void verifyAtRest() {
        for (ThreadSpans owner : space.owners().all()) {
            synchronized (owner) {
                owner.verifyRevokedLocked();
                verifyOwner(owner);
            }
        }
        space.large().reclaim();
        space.empties().reclaim();
        space.map().verify();
        space.empties().verify();
        for (Span span : space.map().spans()) {
            if (span.isLarge()) {
                require(span.page != null && !span.empty, "what is large has a page", span);
            } else {
                verifySpan(span);
            }
        }
    }

    private void verifyOwner(ThreadSpans owner) {
        Set<Span> listed = new HashSet<>();
        for (int sizeClass = 0; sizeClass < owner.current.length; sizeClass++) {
            Span before = null;
            for (Span span = owner.current[sizeClass];
                    span != null && span != Span.NONE;
                    span = span.next) {
                require(listed.add(span), "a span is listed once", span);
                require(span.listed && span.sizeClass == sizeClass, "in its own list", span);
                require(span.previous == before, "lists are linked both ways", span);
                require(
                        span.attention == (before == null ? owner.attentionOfFirst() : 1),
                        "the first may empty",
                        span);
                require(
                        before == null || span.used > 0 || owner.owesRetirement(),
                        "no other one is empty",
                        span);
                before = span;
            }
        }
        int count = 0;
        for (Span span : space.map().spans()) {
            if (!span.empty && span.owner == owner && !span.isLarge()) {
                count++;
                require(span.listed == listed.contains(span), "what is listed says so", span);
                require(
                        span.listed || span.attention == Span.ALWAYS,
                        "what is not listed is to be",
                        span);
                require(
                        span.listed || (span.head == 0 && span.carvedBytes == span.bytes),
                        "what is not listed is full",
                        span);
            }
        }
        require(count == owner.spanCountLocked(), "an owner counts its spans", count);
        for (long block : owner.remoteBlocksLocked()) {
            Span span = space.map().find(block);
            require(span.owner == owner && span.isBlock(block), "what is remote is a block", span);
        }
    }

    private static void verifySpan(Span span) {
        require(
                span.carvedBytes <= span.dirtyBytes
                        && span.carvedBytes <= span.committedBytes
                        && span.dirtyBytes <= Chunk.bytes(span.chunk)
                        && span.committedBytes <= Chunk.bytes(span.chunk),
                "carved <= dirty, carved <= committed",
                span);
        require(span.base == Chunk.address(span.chunk), "a span begins with its chunk", span);
        Set<Long> free = new HashSet<>();
        for (long block = span.head; block != 0; block = ADDRESS_SPACE.get(WORD, block)) {
            require(span.isBlock(block) && free.add(block), "what is free is a block", span);
        }
        require(
                span.used + free.size() == span.carvedBytes / span.blockBytes,
                "used + free == carved",
                span);
    }

    private static void require(boolean holds, String rule, Object what) {
        if (!holds) {
            throw new AssertionError(rule + ": " + what);
        }
    }
}
