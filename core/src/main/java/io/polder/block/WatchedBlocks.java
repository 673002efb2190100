package io.polder.block;

import io.polder.leak.Kind;
import io.polder.leak.LeakRecord;
import io.polder.leak.Sampler;
import io.polder.leak.Trace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Blocks of which a sample is watched: where each of those was allocated is known until it is
 * freed.
 *
 * <pre>{@code
 *   allocate --> chosen by the sampler? --> watched[address] = size, stack
 *   free     --> filter[some bits of the address] > 0? --> out of it
 * }</pre>
 *
 * <p>The filter counts the addresses that are watched: most frees read one count, which is 0.
 *
 * <p><b>Errors.</b> A block that an error keeps from being watched is not.
 *
 * <p>Thread-safe. A thread that frees a block got its address after it was watched. It is watched
 * no longer before it is freed, since it may be another's at once; if it is refused, it is again.
 */
public final class WatchedBlocks extends Blocks {
    private static final int FILTER_LENGTH = 1 << 12;
    private static final int FILTER_SHIFT = Long.SIZE - 12;

    /** The golden ratio: neighbours get counts of their own (Knuth: multiplicative hashing). */
    private static final long MULTIPLIER = 0x9e37_79b9_7f4a_7c15L;

    final Blocks blocks;
    private final Sampler sampler;
    private final Map<Long, Watched> watched = new ConcurrentHashMap<>();
    private final AtomicIntegerArray filter = new AtomicIntegerArray(FILTER_LENGTH);

    /**
     * A block that is watched.
     *
     * @param bytes what was asked for
     * @param at where it was allocated
     */
    private record Watched(long bytes, Trace at) {}

    private WatchedBlocks(Blocks blocks, Sampler sampler) {
        super(blocks.lost);
        this.blocks = blocks;
        this.sampler = sampler;
    }

    /**
     * Watches blocks that nobody allocates or frees otherwise. Not by a constructor, as {@link
     * CheckedBlocks#of} says.
     *
     * @param sampler chooses which of them
     */
    public static Blocks of(Blocks blocks, Sampler sampler) {
        return new WatchedBlocks(blocks, sampler);
    }

    private static int slot(long address) {
        return (int) ((address * MULTIPLIER) >>> FILTER_SHIFT);
    }

    /** Watches a block from now on, or again, if there is something to watch it by. */
    private void watch(long address, @Nullable Watched block) {
        if (block != null) {
            filter.getAndIncrement(slot(address));
            watched.put(address, block);
        }
    }

    /** Watches a block no longer; returns what it was watched by. */
    private @Nullable Watched forget(long address) {
        Watched block = filter.getPlain(slot(address)) == 0 ? null : watched.remove(address);
        if (block != null) {
            filter.getAndDecrement(slot(address));
        }
        return block;
    }

    @Override
    public boolean areWatched() {
        return true;
    }

    @Override
    public List<LeakRecord> byStack() {
        Map<List<String>, LeakRecord> byStack = new HashMap<>();
        for (Watched block : watched.values()) {
            LeakRecord one =
                    new LeakRecord(
                            Kind.BLOCKS, 1, block.bytes(), block.at().thread(), block.at().lines());
            byStack.merge(one.openedAt(), one, LeakRecord::plus);
        }
        List<LeakRecord> records = new ArrayList<>(byStack.values());
        records.sort((one, other) -> Long.compare(other.bytes(), one.bytes()));
        return records;
    }

    @Override
    public long allocate(long bytes, long alignment, boolean zero) {
        Trace at = sampler.chooses();
        Watched block = at == null ? null : new Watched(bytes, at);
        long address = blocks.allocate(bytes, alignment, zero);
        try {
            watch(address, block);
        } catch (Throwable unwatched) {
            // It is allocated, and that is what counts.
        }
        return address;
    }

    @Override
    public void free(long address) {
        Watched block = forget(address);
        try {
            blocks.free(address);
        } catch (Throwable refused) {
            watch(address, block);
            throw refused;
        }
    }

    @Override
    public long usableSize(long address) {
        return blocks.usableSize(address);
    }

    @Override
    long resize(long address, long bytes, @Nullable MemorySegment @Nullable [] made) {
        Watched block = forget(address);
        long target;
        try {
            target = blocks.resize(address, bytes, made);
        } catch (Throwable refused) {
            watch(address, block);
            throw refused;
        }
        try {
            watch(target, block == null ? null : new Watched(bytes, block.at()));
        } catch (Throwable unwatched) {
            // It is moved, and that is what counts.
        }
        return target;
    }
}
