package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;
import static io.polder.memory.Zeroing.WORD;

import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * One thread that allocates, frees, resizes and hands over blocks at random, and knows what each
 * must hold: its whole usable size is painted with a number that no other block has.
 */
final class RandomBlocks {
    /** What it can do. */
    enum Operation {
        ALLOCATE,
        ALLOCATE_ALIGNED,
        ALLOCATE_ZEROED,
        FREE,
        REALLOCATE,
        HAND_OVER,
        TAKE_OVER,
        TICK,
        TRIM,
        REFUSED
    }

    /**
     * A block that is used.
     *
     * @param address where it is
     * @param bytes how much of it is painted
     * @param paint with what
     */
    record Block(long address, long bytes, long paint) {}

    private static final int MINE_MAX = 300;

    private final Blocks space;
    private final Random random;
    private final AtomicReferenceArray<Block> common;
    private final Block[] mine = new Block[MINE_MAX];
    private final Map<Operation, Integer> done = new EnumMap<>(Operation.class);
    private final long paintBase;
    private long paints;
    private int count;

    /**
     * One that has nothing.
     *
     * @param common where threads leave blocks for each other
     */
    RandomBlocks(Blocks space, AtomicReferenceArray<Block> common, long seed, int number) {
        this.space = space;
        this.common = common;
        this.random = new Random(seed + number);
        this.paintBase = (number + 1L) << 40;
    }

    /** How often each operation was done. */
    Map<Operation, Integer> done() {
        return done;
    }

    void run(int operations) {
        for (int i = 0; i < operations; i++) {
            step();
        }
        while (count > 0) {
            free(mine[--count]);
        }
    }

    private void step() {
        int dice = random.nextInt(1000);
        if (dice < 400) {
            allocate();
        } else if (dice < 800) {
            freeOne();
        } else if (dice < 850) {
            reallocate();
        } else if (dice < 920) {
            handOver();
        } else if (dice < 997) {
            takeOver();
        } else if (dice < 999) {
            count(Operation.TICK);
            boolean _ = BlockFixture.spaceOf(space).tick();
        } else {
            count(Operation.TRIM);
            long _ = BlockFixture.spaceOf(space).trim();
        }
    }

    private long size() {
        int shape = random.nextInt(100);
        if (shape < 70) {
            return random.nextInt(1001);
        }
        return shape < 97 ? random.nextInt(40_000) : random.nextInt(3 << 20);
    }

    private void allocate() {
        if (count == MINE_MAX) {
            return;
        }
        long bytes = size();
        try {
            int kind = random.nextInt(10);
            long address;
            if (kind == 0) {
                long alignment = 1L << random.nextInt(13);
                address = space.allocate(bytes, alignment, false);
                require(address % alignment == 0, "an alignment is kept", address);
                count(Operation.ALLOCATE_ALIGNED);
            } else if (kind == 1) {
                address = space.allocate(bytes, 16, true);
                long usable = space.usableSize(address);
                for (long at = 0; at + WORD.byteSize() <= usable; at += WORD.byteSize()) {
                    require(ADDRESS_SPACE.get(WORD, address + at) == 0, "zeros", address);
                }
                count(Operation.ALLOCATE_ZEROED);
            } else {
                address = space.allocate(bytes);
                count(Operation.ALLOCATE);
            }
            add(paint(address, bytes));
        } catch (OutOfMemoryError refused) {
            count(Operation.REFUSED);
        }
    }

    private Block paint(long address, long bytes) {
        long usable = space.usableSize(address);
        require(usable >= bytes, "what is allocated can be used", address);
        long paint = paintBase + paints++;
        long step = step(usable);
        for (long at = 0; at + WORD.byteSize() <= usable; at += step) {
            ADDRESS_SPACE.set(WORD, address + at, paint);
        }
        if (usable >= WORD.byteSize()) {
            ADDRESS_SPACE.set(WORD, address + usable - WORD.byteSize(), paint);
        }
        return new Block(address, usable, paint);
    }

    /** Of large blocks every page, or it takes too long. */
    private static long step(long bytes) {
        return bytes > 64 << 10 ? 4096 : WORD.byteSize();
    }

    private static void check(Block block, long bytes) {
        long step = step(block.bytes());
        for (long at = 0; at <= bytes - 2 * WORD.byteSize(); at += step) {
            require(
                    ADDRESS_SPACE.get(WORD, block.address() + at) == block.paint(),
                    "what was written stays",
                    block.address() + at);
        }
    }

    private static void require(boolean holds, String rule, long address) {
        if (!holds) {
            throw new AssertionError(rule + ": address=0x" + Long.toHexString(address));
        }
    }

    private void add(Block block) {
        if (count == MINE_MAX) {
            free(block);
        } else {
            mine[count++] = block;
        }
    }

    private Block removeOne() {
        int index = random.nextInt(count);
        Block block = mine[index];
        mine[index] = mine[--count];
        return block;
    }

    private void freeOne() {
        if (count > 0) {
            free(removeOne());
        }
    }

    private void free(Block block) {
        check(block, block.bytes());
        space.free(block.address());
        count(Operation.FREE);
    }

    private void reallocate() {
        if (count == 0) {
            return;
        }
        Block block = removeOne();
        long bytes = size();
        try {
            long address = space.reallocate(block.address(), bytes);
            check(new Block(address, block.bytes(), block.paint()), Math.min(bytes, block.bytes()));
            add(paint(address, bytes));
            count(Operation.REALLOCATE);
        } catch (OutOfMemoryError refused) {
            count(Operation.REFUSED);
            add(block);
        }
    }

    private void handOver() {
        if (count > 0) {
            int index = random.nextInt(common.length());
            Block block = removeOne();
            Block before = common.getAndSet(index, block);
            count(Operation.HAND_OVER);
            if (before != null) {
                free(before);
            }
        }
    }

    private void takeOver() {
        Block block = common.getAndSet(random.nextInt(common.length()), null);
        if (block != null) {
            check(block, block.bytes());
            count(Operation.TAKE_OVER);
            add(block);
        }
    }

    private void count(Operation operation) {
        done.merge(operation, 1, Integer::sum);
    }
}
