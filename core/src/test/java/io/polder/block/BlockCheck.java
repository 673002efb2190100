package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

import io.polder.chunk.Chunk;
import io.polder.chunk.ChunkLevel;

import org.jspecify.annotations.Nullable;

import java.util.HashSet;
import java.util.Set;

/** Checks the invariants of {@link Blocks}, while no thread uses them. */
public final class BlockCheck {
    private final BlockSpace space;

    /** Spans that are in the list of those announced to their owner. */
    private final Set<Span> announced = new HashSet<>();

    private BlockCheck(BlockSpace space) {
        this.space = space;
    }

    /** Checks all invariants; only while no thread uses the blocks. */
    public static void verifyAtRest(Blocks blocks) {
        switch (blocks) {
            case WatchedBlocks watched -> verifyAtRest(watched.blocks);
            case CheckedBlocks checked -> {
                verifyAtRest(checked.space);
                synchronized (checked) {
                    verify(checked.quarantine);
                }
            }
            case BlockSpace space -> new BlockCheck(space).verifySpace();
            default -> throw new AssertionError("blocks are of a known kind: " + blocks);
        }
    }

    private void verifySpace() {
        for (ThreadHeap owner : space.owners.all()) {
            synchronized (owner) {
                if (!owner.revokeLocked()) {
                    throw new AssertionError("at rest no owner is inside: " + owner);
                }
                verifyOwner(owner);
            }
        }
        verify(space.map);
        verify(space.empties);
        int unannounced = 0;
        for (Span span : space.map.spans()) {
            unannounced += span.isAnnounced() && !announced.contains(span) ? 1 : 0;
            if (span.isLarge()) {
                require(span.page != null, "what is large has a page", span);
            } else {
                verifySpan(span);
            }
        }
        require(
                unannounced <= space.lost.announcements,
                "what is announced is in a list: announcements lost=" + space.lost.announcements,
                unannounced);
    }

    static void verify(SpanMap map) {
        synchronized (map) {
            int count = 0;
            for (Span span : map.entries) {
                count += span == Span.NONE ? 0 : 1;
            }
            require(
                    count <= map.filled && map.filled <= SpanMap.filledMax(map.entries.length),
                    "filled are few of all",
                    count);
            for (Span span : map.spans()) {
                for (int unit = 0; unit < SpanMap.units(span); unit++) {
                    long address = span.base + unit * SpanMap.UNIT_BYTES;
                    require(map.find(address) == span, "each unit of a span is found", span);
                }
            }
        }
    }

    /** Checks the empty spans; only while nothing is added or taken. */
    private static void verify(EmptySpans empties) {
        synchronized (empties) {
            int seen = verify(empties, empties.fresh) + verify(empties, empties.idle);
            require(seen == empties.count, "count is what there is: seen=" + seen, empties.count);
            long granules = 0;
            for (int kind = ChunkLevel.COUNT; kind < empties.fresh.length; kind++) {
                granules += count(empties.fresh[kind]) * (kind - ChunkLevel.SMALLEST);
                granules += count(empties.idle[kind]) * (kind - ChunkLevel.SMALLEST);
            }
            require(granules == empties.keptGranules, "granules are counted", granules);
        }
    }

    private static long count(@Nullable Span first) {
        long count = 0;
        for (Span span = first; span != null; span = span.next) {
            count++;
        }
        return count;
    }

    private static int verify(EmptySpans empties, @Nullable Span[] lists) {
        int seen = 0;
        for (int kind = 0; kind < lists.length; kind++) {
            for (Span span = lists[kind]; span != null; span = span.next) {
                seen++;
                boolean holds =
                        span.empty
                                && EmptySpans.kind(span) == kind
                                && (span.carvedBytes == 0 || span.page != null)
                                && span.used == 0
                                && span.freed == 0
                                && span.committedBytes <= span.coveredBytes()
                                && span.dirtyBytes <= span.coveredBytes()
                                && empties.map.find(span.base) == span;
                require(holds, "an empty span has nothing carved", span);
            }
        }
        return seen;
    }

    private static void verify(Quarantine quarantine) {
        for (int at = 0; at < quarantine.first.length; at++) {
            int seen = 0;
            long seenBytes = 0;
            CheckedBlock before = null;
            for (CheckedBlock each = quarantine.first[at]; each != null; each = each.next) {
                boolean holds =
                        !each.used
                                && each.previous == before
                                && each.checks.span.sizeClass == at
                                && each.checks.span.checks == each.checks
                                && each.checks.at(each.address) == each;
                require(holds, "what waits is free", each.checks.span);
                verify(each.checks);
                before = each;
                seen++;
                seenBytes += each.checks.span.blockBytes;
            }
            require(
                    seen == quarantine.counts[at]
                            && seenBytes == quarantine.bytes[at]
                            && quarantine.last[at] == before,
                    "counts are what waits: sizeClass=" + at,
                    seen);
        }
    }

    private static void verify(SpanChecks checks) {
        int found = 0;
        for (CheckedBlock block : checks.blocks) {
            found += block != null && !block.used ? 1 : 0;
        }
        require(
                found == checks.waiting,
                "what is freed is in quarantine: waiting=" + checks.waiting,
                found);
    }

    private void verifyOwner(ThreadHeap owner) {
        Set<Span> listed = new HashSet<>();
        long loneBytes = 0;
        for (int sizeClass = 0; sizeClass < owner.current.length; sizeClass++) {
            Span before = null;
            for (Span span = owner.current[sizeClass];
                    span != null && span != Span.NONE;
                    span = span.next) {
                require(listed.add(span), "a span is listed once", span);
                require(span.listed && span.sizeClass == sizeClass, "in its own list", span);
                require(span.previous == before, "lists are linked both ways", span);
                require(
                        span.attention == (before == null ? owner.attentionOfFirst : 1),
                        "the first may empty",
                        span);
                before = span;
                loneBytes += span.loneBytes();
            }
        }
        require(
                loneBytes == owner.loneBytes,
                "an owner counts what lone blocks have: loneBytes=" + owner.loneBytes,
                loneBytes);
        verify(owner.batch);
        verifyAnnounced(owner, owner.taken);
        verifyAnnounced(owner, owner.announced.first());
        int count = 0;
        for (Span span : space.map.spans()) {
            if (!span.empty && span.owner == owner && !span.isLarge()) {
                count++;
                require(span.listed == listed.contains(span), "what is listed says so", span);
                require(
                        span.listed || span.attention == Span.ALWAYS,
                        "what is not listed is to be",
                        span);
                boolean isFull =
                        span.head == 0 && span.carvedBytes == span.bytes && span.freed == 0;
                require(
                        span.listed || span.isAnnounced() || isFull,
                        "what is not listed is full, or announced",
                        span);
            }
        }
        require(count == owner.spanCount, "an owner counts its spans", count);
    }

    private static void verify(RemoteBatch batch) {
        Span span = batch.span;
        if (span == null) {
            return;
        }
        Set<Long> found = new HashSet<>();
        long block = batch.first;
        while (found.size() < batch.count) {
            require(span.isBlock(block) && found.add(block), "a batch has blocks of a span", span);
            block = block == batch.last ? 0 : ADDRESS_SPACE.get(WORD, block);
        }
        require(block == 0, "a batch counts its blocks: count=" + batch.count, span);
        require(
                span.used - RemoteFrees.count(span.freed) >= batch.count,
                "what is in a batch counts as used: count=" + batch.count,
                span);
    }

    private void verifyAnnounced(ThreadHeap owner, @Nullable Span first) {
        for (Span span = first; span != null; span = span.nextAnnounced) {
            require(announced.add(span), "a span is announced once", span);
            require(
                    span.isAnnounced() && span.owner == owner && !span.empty,
                    "what is announced is its owner's",
                    span);
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
        int remote = 0;
        for (long block = span.freed & RemoteFrees.ADDRESS_MASK;
                block != 0;
                block = ADDRESS_SPACE.get(WORD, block)) {
            require(!free.contains(block), "what others freed is not free yet", span);
            require(span.isBlock(block) && remote < span.used, "it is a used block", span);
            remote++;
        }
        require(remote == RemoteFrees.count(span.freed), "it is counted: found=" + remote, span);
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
