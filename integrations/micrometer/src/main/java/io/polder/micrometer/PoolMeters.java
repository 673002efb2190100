package io.polder.micrometer;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.polder.LeakDetection;
import io.polder.PoolStatistics;
import io.polder.heap.HeapStatistics;
import io.polder.page.PageStatistics;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * The meters of one pool in one registry, of its heaps while they are open, and of its leaks while
 * somebody looks for them.
 *
 * <p>Names are made so that no two are the same in a registry that appends units, and {@code total}
 * to what is counted, as Prometheus does.
 *
 * <p>Not thread-safe.
 */
final class PoolMeters {
    private static final String CHUNKS = "chunks";
    private static final String PAGES = "pages";
    private static final String COMMITTED = "committed";
    private static final String RESERVED = "reserved";

    /** What pools say that have no limit. */
    private static final long ADDRESS_SPACE_BYTES = 1L << 47;

    private final RegistryMeters meters;
    private final BoundPool pool;
    private final Tags tags;
    private final MeterSet own;
    private final Map<Integer, MeterSet> heaps = new HashMap<>();
    private @Nullable MeterSet leaks;

    /** Registers those of the pool; those of its heaps and leaks follow. */
    PoolMeters(RegistryMeters meters, BoundPool pool, PoolStatistics statistics) {
        this.meters = meters;
        this.pool = pool;
        this.tags = Tags.of("pool", pool.tag());
        this.own = new MeterSet(meters, pool, tags);
        try {
            memory();
            limits(statistics);
            pages();
            arenasAndBlocks();
        } catch (Throwable cutOff) {
            own.remove();
            throw cutOff;
        }
    }

    /** Removes all of them. */
    void remove() {
        all().forEach(MeterSet::remove);
    }

    private List<MeterSet> all() {
        List<MeterSet> all = new ArrayList<>(heaps.values());
        all.add(own);
        if (leaks != null) {
            all.add(leaks);
        }
        return all;
    }

    /** Adds those that the registry has. */
    void addTo(Set<Meter> expected) {
        all().forEach(each -> each.addTo(expected));
    }

    /** Adds who has them, by identity. */
    void addTo(IdentityHashMap<Meter, Registrations.Registration> owners) {
        all().forEach(each -> each.addTo(owners));
    }

    /** Registers again those of them that the registry has no more. */
    void restore(Set<Meter> missing) {
        all().forEach(each -> each.restore(missing));
    }

    /**
     * Registers meters of heaps that were opened, and then removes those of heaps that were closed,
     * as far as no other has them. The same for leaks, as detection was switched on or off.
     */
    void follow(PoolStatistics statistics) {
        heapsAre(statistics);
        leaksAre(statistics.leaks());
    }

    private void heapsAre(PoolStatistics statistics) {
        Set<Integer> open =
                statistics.heaps().stream().map(HeapStatistics::number).collect(Collectors.toSet());
        for (int number : open) {
            if (!heaps.containsKey(number)) {
                MeterSet set =
                        new MeterSet(meters, pool, tags.and("heap", Integer.toString(number)));
                try {
                    heap(set, number);
                } catch (Throwable cutOff) {
                    set.remove();
                    throw cutOff;
                }
                heaps.put(number, set);
            }
        }
        heaps.entrySet()
                .removeIf(
                        each -> {
                            boolean gone = !open.contains(each.getKey());
                            if (gone) {
                                each.getValue().remove();
                            }
                            return gone;
                        });
    }

    /** What chunks and pages have, which together is all there is. */
    private void memory() {
        both(
                (name, kind, figure) ->
                        own.bytes(name, Tags.of("kind", kind), "Memory in use", figure),
                "polder.memory.used",
                PoolStatistics::usedBytes,
                PageStatistics::takenBytes);
        both(
                (name, kind, figure) ->
                        own.bytes(
                                name,
                                Tags.of("kind", kind),
                                "Memory that was touched and not given back",
                                figure),
                "polder.memory.committed",
                now -> now.committedBytes(),
                PageStatistics::committedBytes);
        both(
                (name, kind, figure) ->
                        own.bytes(name, Tags.of("kind", kind), "Address space", figure),
                "polder.memory.reserved",
                now -> now.reservedBytes(),
                PageStatistics::reservedBytes);
        both(
                (name, kind, figure) ->
                        own.totalBytes(
                                name,
                                Tags.of("kind", kind),
                                "Memory that came from the operating system",
                                figure),
                "polder.memory.allocated",
                now -> now.committedTotalBytes(),
                PageStatistics::committedTotalBytes);
        both(
                (name, kind, figure) ->
                        own.totalBytes(
                                name,
                                Tags.of("kind", kind),
                                "Memory that was given back to the operating system",
                                figure),
                "polder.memory.given.back",
                now -> now.uncommittedTotalBytes(),
                PageStatistics::uncommittedTotalBytes);
        own.total(
                "polder.memory.refusals",
                "Calls that the operating system refused",
                now -> now.refusals());
    }

    /** How a figure of chunks or pages becomes a meter. */
    private interface OfKind {
        void register(String name, String kind, ToDoubleFunction<PoolStatistics> figure);
    }

    private static void both(
            OfKind meter,
            String name,
            ToLongFunction<PoolStatistics> all,
            ToLongFunction<PageStatistics> ofPages) {
        meter.register(
                name, CHUNKS, now -> all.applyAsLong(now) - ofPages.applyAsLong(now.pages()));
        meter.register(name, PAGES, now -> ofPages.applyAsLong(now.pages()));
    }

    /** A pool that has no limit has no meter of it. */
    private void limits(PoolStatistics statistics) {
        String description = "The most that the pool may have";
        if (isLimit(statistics.committedMaxBytes())) {
            own.bytes(
                    "polder.memory.limit",
                    Tags.of("kind", COMMITTED),
                    description,
                    now -> now.committedMaxBytes());
        }
        if (isLimit(statistics.reservedMaxBytes())) {
            own.bytes(
                    "polder.memory.limit",
                    Tags.of("kind", RESERVED),
                    description,
                    now -> now.reservedMaxBytes());
        }
    }

    /** No limit is said by the size of the address space. */
    private static boolean isLimit(long bytes) {
        return bytes >= 0 && bytes < ADDRESS_SPACE_BYTES;
    }

    private void pages() {
        own.count("polder.pages.used", "Pages in use", now -> now.pages().takenPages());
        own.count(
                "polder.pages.waiting",
                "Threads that wait in the queue for memory",
                now -> now.pages().waiting());
        own.total(
                "polder.pages.taken",
                "Pages that were taken",
                now -> now.pages().mix().stream().mapToLong(PageStatistics.SizeClass::count).sum());
        own.timer(
                "polder.page.take.slow",
                "Takes of pages that were not at hand, and how long they took",
                now -> now.pages().slowTakes(),
                now -> now.pages().slowTakeNanos());
        own.nanos(
                "polder.page.take.slow.longest",
                "The longest of them",
                now -> now.pages().longestTakeNanos());
        String assembled = "Pages that were put together of scattered memory";
        own.total(
                "polder.pages.assembled",
                Tags.of("by", "allocation"),
                assembled,
                now -> now.pages().assembledOnAllocation());
        own.total(
                "polder.pages.assembled",
                Tags.of("by", "background"),
                assembled,
                now -> now.pages().assembledInBackground());
        own.totalBytes(
                "polder.pages.moved",
                Tags.empty(),
                "Memory that was moved for that, without copying it",
                now -> now.pages().movedBytes());
    }

    private void arenasAndBlocks() {
        own.count(
                "polder.arena.threads",
                "Platform threads that keep slabs at hand",
                now -> now.arenas().threads());
        own.bytes(
                "polder.arena.deferred",
                "Memory of closed arenas that is given back with their group",
                now -> now.arenas().deferredRetainedBytes());
        own.count(
                "polder.blocks.used", "Blocks that are allocated", now -> now.blocks().usedCount());
        own.bytes(
                "polder.blocks.memory.used",
                "Memory of blocks that are allocated; counted as chunks and pages",
                now -> now.blocks().usedBytes());
        own.bytes(
                "polder.blocks.memory.committed",
                "Memory behind blocks, used or free; counted as chunks and pages",
                now -> now.blocks().committedBytes());
    }

    /** Where nobody looks for leaks there are no meters of them: 0 would mean there are none. */
    private void leaksAre(PoolStatistics.Leaks now) {
        MeterSet set = leaks;
        boolean off = now.detection() == LeakDetection.OFF;
        if (off && set != null) {
            set.remove();
            leaks = null;
        } else if (!off && set == null) {
            set = new MeterSet(meters, pool, tags);
            try {
                leaks(set);
            } catch (Throwable cutOff) {
                set.remove();
                throw cutOff;
            }
            leaks = set;
        }
    }

    private static void leaks(MeterSet set) {
        set.total(
                "polder.leaks",
                "Arenas, pages and heaps that nobody closed",
                now -> now.leaks().leaked());
        set.bytes(
                "polder.leaks.memory", "Memory that those have", now -> now.leaks().leakedBytes());
        set.count("polder.leaks.watched", "What is open and watched", now -> now.leaks().watched());
    }

    private static void heap(MeterSet set, int number) {
        set.bytes(
                "polder.heap.live",
                "Objects that were not freed",
                of(number, HeapStatistics::liveBytes));
        set.bytes(
                "polder.heap.used",
                "Pages that the heap has, for objects and handles",
                of(number, now -> now.regionBytes() + now.tableBytes()));
        set.count(
                "polder.heap.objects",
                "Objects that were not freed",
                of(number, HeapStatistics::liveObjects));
        set.totalBytes(
                "polder.heap.moved",
                Tags.empty(),
                "Objects that were copied by compaction",
                of(number, HeapStatistics::evacuatedBytes));
        set.totalBytes(
                "polder.heap.given.back",
                Tags.empty(),
                "Pages that compaction gave back to the pool",
                of(number, HeapStatistics::givenBackBytes));
        set.timer(
                "polder.heap.compaction",
                "Cycles of compaction, and how long it worked",
                of(number, HeapStatistics::cycles),
                of(number, HeapStatistics::compactionNanos));
        set.nanos(
                "polder.heap.wait.longest",
                "The longest that one use of an object waited for its copy",
                of(number, HeapStatistics::longestWaitNanos));
    }

    /** A figure of one heap; not a number once it is closed. */
    private static ToDoubleFunction<PoolStatistics> of(
            int number, ToLongFunction<HeapStatistics> figure) {
        return now ->
                now.heaps().stream()
                        .filter(each -> each.number() == number)
                        .mapToDouble(each -> figure.applyAsLong(each))
                        .findFirst()
                        .orElse(Double.NaN);
    }
}
