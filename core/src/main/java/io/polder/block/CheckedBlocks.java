package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import io.polder.leak.Trace;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

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
 * is found in a tick or a trim, by the next who allocates or frees; each by another. It is found
 * once: what was written is overwritten.
 *
 * <p><b>Failure.</b> Where the space has no memory, a block of the class that waits is used at
 * once.
 *
 * <p><b>Errors.</b> As of the space. A block on its way from the space is {@link InTransit}, one on
 * its way there {@link Quarantine#leaving}.
 *
 * <p>Thread-safe: one lock, taken before those of the space. Nothing is allocated from the space
 * with it held, since that may run code of the program to make room.
 */
public final class CheckedBlocks extends LayeredBlocks {
    final BlockSpace space;
    private final BlockSpace.Listener listener;
    private final Moves moves = new Moves(this);
    private final InTransit arriving;
    final Quarantine quarantine = new Quarantine();

    /**
     * More than this is not kept to be told. Guessed: whoever has read so many mends them first.
     */
    private static final int FOUND_MAX = 64;

    /** What ticks and trims have found, one each for the next who come. */
    private final ArrayDeque<IllegalStateException> found = new ArrayDeque<>(FOUND_MAX);

    private CheckedBlocks(BlockSpace space, BlockSpace.Listener listener) {
        this.space = space;
        this.listener = listener;
        this.arriving = new InTransit(space);
        space.makeOneByOne();
    }

    /**
     * Checks the blocks of a space that nobody uses otherwise.
     *
     * @param listener is told when ticks are needed
     */
    public static Blocks of(BlockSpace space, BlockSpace.Listener listener) {
        return new CheckedBlocks(space, listener);
    }

    @Override
    long allocate(long bytes, long alignment, boolean zero) {
        BlockSpace.checkAlignment(alignment);
        return allocate(bytes, alignment, zero, null);
    }

    @Override
    MemorySegment allocateSegment(long bytes, long alignment, boolean zero) {
        BlockSpace.checkAlignment(alignment);
        @Nullable MemorySegment[] made = new @Nullable MemorySegment[1];
        long address = allocate(bytes, alignment, zero, made);
        MemorySegment segment = made[0];
        if (segment == null) {
            throw new AssertionError("a segment is made before its block is used: " + address);
        }
        return segment;
    }

    /** Allocates a block; if it is to be a segment, that is put into the array. */
    private long allocate(
            long bytes, long alignment, boolean zero, @Nullable MemorySegment @Nullable [] made) {
        if (bytes < 0 || bytes > SlowPath.ADDRESS_SPACE_BYTES) {
            return space.allocate(bytes); // refuses it
        }
        long size = bytes + CheckedBlock.GUARD_BYTES;
        int sizeClass =
                Math.max(size, alignment) > SizeClass.BYTES_MAX
                        ? SizeClass.COUNT
                        : SizeClass.of(size, alignment);
        space.checkOpen();
        long again = allocateAgain(sizeClass, false, bytes, zero, made);
        if (again != 0) {
            return again;
        }
        try {
            return allocateNew(bytes, size, alignment, zero, made);
        } catch (OutOfMemoryError none) {
            again = allocateAgain(sizeClass, true, bytes, zero, made);
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
            int sizeClass,
            boolean atOnce,
            long bytes,
            boolean zero,
            @Nullable MemorySegment @Nullable [] made) {
        tellLocked();
        if (sizeClass == SizeClass.COUNT) {
            return 0;
        }
        CheckedBlock block = atOnce ? quarantine.oldest(sizeClass) : quarantine.ready(sizeClass);
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
            fillWithZeros(address, bytes);
        }
        block.guard(bytes);
        Moves.segment(address, bytes, made);
        quarantine.use(block, bytes);
        return address;
    }

    private static void fillWithZeros(long address, long bytes) {
        ADDRESS_SPACE.asSlice(address, bytes).fill((byte) 0);
    }

    private long allocateNew(
            long bytes,
            long size,
            long alignment,
            boolean zero,
            @Nullable MemorySegment @Nullable [] made) {
        int number = arriving.take();
        long[] words = arriving.parts[number >>> InTransit.PART_BITS];
        int at = number & InTransit.PART_MASK;
        boolean done = false;
        try {
            long address =
                    zero ? space.allocateZeroed(size, alignment) : space.allocate(size, alignment);
            words[at] = address | InTransit.MOVING;
            Moves.segment(address, bytes, made);
            synchronized (this) {
                Span span = space.map().find(address);
                SpanChecks checks = span.checks;
                if (checks == null) {
                    checks = new SpanChecks(span, space.misuse().poolName);
                    span.checks = checks;
                }
                CheckedBlock block = new CheckedBlock(span, checks, address, bytes);
                block.guard(bytes);
                int index = checks.index(address);
                checks.blocks()[index] = block;
                words[at] = 0;
                done = true;
            }
            return address;
        } finally {
            if (!done) {
                words[at] = (words[at] & ~InTransit.MOVING) | InTransit.LEFT;
                arriving.owes = true;
            }
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
                leaveTooLargeLocked();
            } catch (Throwable later) {
                // It is freed; what was not painted is not looked at.
            }
        }
        try {
            listener.somethingFreed();
        } catch (Throwable later) {
            // It is freed, and the next one tells.
        }
    }

    /** The block at an address, used or not. */
    private CheckedBlock findLocked(long address) {
        Span span = space.map().find(address);
        if (!span.isBlock(address)) {
            throw space.misuse().refused(address);
        }
        SpanChecks checks = span.checks;
        CheckedBlock block = checks == null ? null : checks.at(address);
        if (block == null) {
            throw space.misuse().refused(address);
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
    public long reallocate(long address, long bytes, @Nullable MemorySegment @Nullable [] made) {
        if (address == 0) {
            return allocate(bytes);
        }
        long before;
        synchronized (this) {
            CheckedBlock block = usedLocked(address);
            block.checkGuard();
            before = block.bytes;
            if (bytes >= 0 && bytes <= before && Moves.staysInPlace(block.span.blockBytes, bytes)) {
                return shrinkInPlace(address, bytes, made);
            }
            if (bytes > before && block.fits(bytes)) {
                Moves.segment(address, bytes, made);
                block.guard(bytes); // of what was guarded already, as far as it is cut off
                block.bytes = bytes;
                return address;
            }
        }
        if (bytes < 0) {
            throw new IllegalArgumentException("0 <= bytes: bytes=" + bytes);
        }
        if (bytes > before) {
            return moves.move(address, bytes, before, bytes, made);
        }
        try {
            return moves.move(address, bytes, bytes, bytes, made);
        } catch (OutOfMemoryError full) {
            return shrinkInPlace(address, bytes, made);
        }
    }

    private synchronized long shrinkInPlace(
            long address, long bytes, @Nullable MemorySegment @Nullable [] made) {
        CheckedBlock block = usedLocked(address);
        Moves.segment(address, bytes, made);
        block.guard(bytes);
        block.bytes = bytes;
        return address;
    }

    @Override
    public int trim() {
        reclaim();
        leave(true);
        return space.trim();
    }

    @Override
    public boolean tick() {
        reclaim();
        boolean waits = leave(false);
        return space.tick() || waits;
    }

    /**
     * Frees in the space what waits in spans where nothing is used.
     *
     * @param all also where something was freed since the last tick
     * @return whether some of them are left for the next one
     */
    private synchronized boolean leave(boolean all) {
        finishLeavingLocked();
        boolean left = false;
        Set<SpanChecks> spans = new LinkedHashSet<>();
        for (CheckedBlock block : quarantine.all()) {
            if (block.checks.isWhole()) {
                spans.add(block.checks);
            }
        }
        for (SpanChecks span : spans) {
            if (!all && !span.idle) {
                span.idle = true;
                left = true;
            } else {
                leaveLocked(span);
            }
        }
        return left;
    }

    /** Frees the blocks of a span, unless one of them was written to. */
    private void leaveLocked(SpanChecks span) {
        List<CheckedBlock> blocks = new ArrayList<>();
        for (CheckedBlock block : span.blocks()) {
            if (block != null) {
                IllegalStateException written = block.writtenTo();
                if (written != null) {
                    foundLocked(written);
                    block.paint();
                    return;
                }
                blocks.add(block);
            }
        }
        for (CheckedBlock block : blocks) {
            leaveLocked(block);
        }
    }

    private void leaveLocked(CheckedBlock block) {
        @Nullable CheckedBlock[] blocks = block.checks.blocks();
        int index = block.checks.index(block.address);
        quarantine.leave(block, blocks, index);
        finishLeavingLocked();
    }

    private void finishLeavingLocked() {
        long block = quarantine.leaving;
        if (block != 0) {
            space.free(block);
            quarantine.leaving = 0;
        }
    }

    /** Large blocks do not wait for their memory to become scarce. */
    private void leaveTooLargeLocked() {
        finishLeavingLocked();
        CheckedBlock block = quarantine.largeTooMuch();
        if (block != null) {
            leaveLocked(block.checks);
        }
    }

    private void foundLocked(IllegalStateException what) {
        if (found.size() < FOUND_MAX) {
            found.add(what);
        }
    }

    /** Throws what a tick or a trim has found first, and nobody was told. */
    private void tellLocked() {
        IllegalStateException what = found.poll();
        if (what != null) {
            throw what;
        }
    }

    @Override
    public void close() {
        space.close();
    }

    @Override
    public synchronized @Nullable RuntimeException untold() {
        return found.poll();
    }

    /** Frees what errors have left under way. */
    void reclaim() {
        arriving.reclaim();
        try {
            moves.reclaim();
        } catch (IllegalStateException told) {
            synchronized (this) {
                foundLocked(told);
            }
        }
    }
}
