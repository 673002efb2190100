package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import io.polder.leak.Trace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * Blocks of a space that are checked: what is freed twice, written to after it was freed, or
 * written to behind its end, is found.
 *
 * <pre>{@code
 *   allocate --> the block of its class that was freed first, if enough wait: still painted?
 *           \--> or one of the space
 *   free     --> is it used, is its guard whole? paint it; quarantine
 *
 *   tick, trim --> spans in which all blocks are free or wait: still painted? free them there
 * }</pre>
 *
 * <p>A block stays one of its space's used blocks until all others of its span are free or wait as
 * well, and goes back with them; and the space makes blocks one by one. So no list goes through
 * memory that a program may still write to, nor through a neighbour's that nobody had yet. That
 * gives back no less: a span goes as a whole anyway.
 *
 * <p><b>What is found</b> is thrown where the block is freed, or about to be used again; and if it
 * is found in a tick or a trim, by the next who allocates or frees; each by another. A closed pool
 * asks for it. It is found once: what was written is overwritten. The blocks of its span wait until
 * a tick or a trim finds nothing more.
 *
 * <p><b>Failure.</b> Where the space has no memory, a block of the class that waits is used at
 * once.
 *
 * <p><b>Errors.</b> As of the space. A block that an error meets on its way from the space, or
 * to it, is {@link Lost}.
 *
 * <p>Thread-safe: one lock, taken before those of the space. Nothing is allocated from the space
 * with it held, since that may run code of the program to make room.
 */
public final class CheckedBlocks extends Blocks {
    final BlockSpace space;
    private final Reallocator reallocator;
    final Quarantine quarantine = new Quarantine();

    /**
     * More than this is not kept to be told. Guessed: a reader of so many mends these first.
     */
    private static final int FOUND_MAX = 64;

    /** What ticks and trims have found, one each for the next who come. */
    private final ArrayDeque<IllegalStateException> found = new ArrayDeque<>(FOUND_MAX);

    private CheckedBlocks(BlockSpace space) {
        super(space.lost);
        this.space = space;
        this.reallocator = new Reallocator(this, space);
        space.checks = this;
    }

    /**
     * Checks the blocks of a space that nobody uses otherwise. Not by a constructor: to verify who
     * calls that, the JVM would load this class, also where nothing is checked.
     */
    public static Blocks of(BlockSpace space) {
        return new CheckedBlocks(space);
    }

    @Override
    public long allocate(long bytes, long alignment, boolean zero) {
        return allocate(bytes, alignment, zero, false);
    }

    @Override
    long allocateQuietly(long bytes) {
        return allocate(bytes, SizeClass.GRAIN_BYTES, false, true);
    }

    private long allocate(long bytes, long alignment, boolean zero, boolean quietly) {
        BlockSpace.checkAlignment(alignment);
        if (bytes < 0 || bytes > SlowPath.ADDRESS_SPACE_BYTES) {
            return space.allocate(bytes); // refuses it
        }
        long size = Math.max(bytes + CheckedBlock.GUARD_BYTES, alignment);
        int sizeClass =
                size > SizeClass.BYTES_MAX ? SizeClass.COUNT : SizeClass.of(size, alignment);
        long again = allocateAgain(sizeClass, false, bytes, zero);
        if (again != 0) {
            return again;
        }
        try {
            return allocateNew(bytes, alignment, zero, quietly);
        } catch (OutOfMemoryError none) {
            again = allocateAgain(sizeClass, true, bytes, zero);
            if (again == 0) {
                throw none;
            }
            return again;
        }
    }

    /**
     * Allocates a block that waits.
     *
     * @param atOnce whether it need not have waited long
     * @return 0 if there is none
     */
    private synchronized long allocateAgain(
            int sizeClass, boolean atOnce, long bytes, boolean zero) {
        space.checkOpen(); // with the lock: what waits in a closed space may be lost next
        tellLocked();
        if (sizeClass == SizeClass.COUNT) {
            return 0;
        }
        CheckedBlock block = atOnce ? quarantine.first[sizeClass] : quarantine.ready(sizeClass);
        if (block == null) {
            return 0;
        }
        IllegalStateException written = block.writtenTo();
        if (written != null) {
            block.paint();
            throw written;
        }
        long address = block.address;
        block.painted = false;
        if (zero) {
            ADDRESS_SPACE.asSlice(address, bytes).fill((byte) 0);
        }
        block.guard(bytes);
        quarantine.remove(block);
        block.freed = null;
        block.bytes = bytes;
        block.used = true;
        return address;
    }

    private long allocateNew(long bytes, long alignment, boolean zero, boolean quietly) {
        long size = bytes + CheckedBlock.GUARD_BYTES;
        long address =
                quietly ? space.allocateQuietly(size) : space.allocate(size, alignment, zero);
        try {
            synchronized (this) {
                Span span = space.map.find(address);
                SpanChecks checks = span.checks;
                if (checks == null) {
                    checks = new SpanChecks(span, space.misuse.poolName());
                    span.checks = checks;
                }
                CheckedBlock block = new CheckedBlock(checks, address, bytes);
                block.guard(bytes);
                int index = checks.index(address);
                checks.blocks[index] = block;
            }
            return address;
        } catch (Throwable failure) {
            lost.blocks++;
            throw failure;
        }
    }

    @Override
    public void free(long address) {
        Trace here = Trace.here();
        synchronized (this) {
            tellLocked();
            CheckedBlock block = findLocked(address);
            if (!block.used) {
                throw block.notUsed("a block must not be freed twice");
            }
            block.checkGuard();
            block.freed = here;
            block.painted = false;
            quarantine.add(block);
            try {
                block.paint();
                leaveLargeLocked();
            } catch (Throwable later) {
                // It is freed; what was not painted is not looked at.
            }
        }
        try {
            space.needsTick.run();
        } catch (Throwable later) {
            // It is freed, and the next one tells.
        }
    }

    /** The block at an address, used or not. */
    private CheckedBlock findLocked(long address) {
        SpanChecks checks = space.find(address).checks;
        CheckedBlock block = checks == null ? null : checks.at(address);
        if (block == null) {
            throw space.misuse.refused(address);
        }
        return block;
    }

    private CheckedBlock usedLocked(long address) {
        CheckedBlock block = findLocked(address);
        if (!block.used) {
            throw block.notUsed("a block must not be used after it was freed");
        }
        return block;
    }

    @Override
    public synchronized long usableSize(long address) {
        return usedLocked(address).bytes;
    }

    @Override
    long resize(long address, long bytes, @Nullable MemorySegment @Nullable [] made) {
        long size;
        long held;
        synchronized (this) {
            CheckedBlock block = usedLocked(address);
            block.checkGuard();
            size = block.roomBytes();
            held = block.bytes;
        }
        return reallocator.resize(address, size, held, bytes, made);
    }

    @Override
    synchronized void use(long address, long bytes, @Nullable MemorySegment @Nullable [] made) {
        CheckedBlock block = usedLocked(address);
        super.use(address, bytes, made);
        block.guard(bytes); // an error here leaves the old guard
        block.bytes = bytes;
    }

    /**
     * Frees in the space what waits in spans where nothing is used.
     *
     * @param all also where something was freed since the last tick
     * @return whether some of them are left for the next one
     */
    synchronized boolean leave(boolean all) {
        boolean left = false;
        for (Span span : space.map.spans()) {
            SpanChecks checks = span.checks;
            if (checks == null || !checks.isWhole()) {
                continue;
            }
            if (all || checks.idle) {
                leaveLocked(checks);
            } else {
                checks.idle = true;
                left = true;
            }
        }
        return left;
    }

    /** Frees the blocks of a span. Where some were written to, the next tick looks once more. */
    private void leaveLocked(SpanChecks span) {
        boolean written = false;
        for (CheckedBlock block : span.blocks) {
            IllegalStateException misuse = block == null ? null : block.writtenTo();
            if (block != null && misuse != null) {
                if (found.size() < FOUND_MAX) {
                    found.add(misuse);
                }
                block.paint();
                written = true;
            }
        }
        if (written) {
            space.needsTick.run();
            return;
        }
        for (CheckedBlock block : span.blocks) {
            if (block != null) {
                leaveLocked(block);
            }
        }
    }

    /** Large ones do not wait for their memory to become scarce, but if they were written to. */
    private void leaveLargeLocked() {
        CheckedBlock before = null;
        CheckedBlock large = quarantine.largeTooMuch();
        while (large != null && large != before) {
            leaveLocked(large.checks);
            before = large;
            large = quarantine.largeTooMuch();
        }
    }

    private void leaveLocked(CheckedBlock block) {
        @Nullable CheckedBlock[] blocks = block.checks.blocks;
        int index = block.checks.index(block.address);
        quarantine.remove(block);
        blocks[index] = null;
        try {
            space.free(block.address);
        } catch (Throwable failure) {
            lost.blocks++;
            throw failure;
        }
    }

    /** Throws what a tick or a trim has found first, and nobody was told. */
    private void tellLocked() {
        IllegalStateException what = found.poll();
        if (what != null) {
            throw what;
        }
    }

    /**
     * What errors lost: see {@link SpanCollector#lost}. With the lock: a block that is being
     * painted counts as free, and its memory must not go meanwhile.
     */
    synchronized Lost lost(SpanCollector collector) {
        return collector.lost();
    }

    /** A misuse that was found and nobody was told of yet; null if there is none. */
    synchronized @Nullable RuntimeException untold() {
        return found.poll();
    }
}
