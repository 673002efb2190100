package io.polder.block;

import io.polder.leak.Kind;
import io.polder.leak.LeakRecord;
import io.polder.leak.Trace;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Where blocks were allocated, for those that are watched.
 *
 * <pre>{@code
 *   address --> filter[some of its bits] > 0? --> watched[address] = size, stack
 * }</pre>
 *
 * <p>The filter counts the addresses that are watched: most frees read one count, which is 0.
 *
 * <p>Thread-safe, as {@link WatchedBlocks} uses it.
 */
public final class BlockRecords {
    private static final int FILTER_LENGTH = 1 << 12;
    private static final int FILTER_SHIFT = Long.SIZE - 12;

    /** The golden ratio: neighbours get counts of their own (Knuth: multiplicative hashing). */
    private static final long MULTIPLIER = 0x9e37_79b9_7f4a_7c15L;

    private final Map<Long, Watched> watched = new ConcurrentHashMap<>();
    private final AtomicIntegerArray filter = new AtomicIntegerArray(FILTER_LENGTH);

    /**
     * A block that is watched.
     *
     * @param bytes what was asked for
     * @param at where it was allocated
     */
    record Watched(long bytes, Trace at) {}

    /** Records of no block. */
    public BlockRecords() {}

    private static int slot(long address) {
        return (int) ((address * MULTIPLIER) >>> FILTER_SHIFT);
    }

    void watch(long address, Watched block) {
        filter.getAndIncrement(slot(address));
        watched.put(address, block);
    }

    /** Watches a block no longer; returns what it was watched by. */
    @Nullable Watched forget(long address) {
        return filter.getPlain(slot(address)) == 0 ? null : remove(address);
    }

    private @Nullable Watched remove(long address) {
        Watched block = watched.remove(address);
        if (block != null) {
            filter.getAndDecrement(slot(address));
        }
        return block;
    }

    /** The blocks that are used, one record for all of one stack, the most bytes first. */
    public List<LeakRecord> byStack() {
        Map<List<String>, LeakRecord> byStack = new HashMap<>();
        for (Watched block : watched.values()) {
            LeakRecord one =
                    new LeakRecord(
                            Kind.BLOCKS, 1, block.bytes(), block.at().thread(), block.at().lines());
            byStack.merge(one.openedAt(), one, LeakRecord::plus);
        }
        List<LeakRecord> records = new ArrayList<>(byStack.values());
        records.sort(Comparator.comparingLong(LeakRecord::bytes).reversed());
        return records;
    }
}
