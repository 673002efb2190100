package io.polder;

import io.polder.Holdings.Before;
import io.polder.PoolScenario.Operation;
import io.polder.stress.everywhere.Paint;
import io.polder.stress.everywhere.ThrowEverywhere;

import java.lang.foreign.MemorySegment;
import java.util.function.Function;

/** The operations of blocks: part of {@code throw-everywhere}. */
final class BlockOperations {
    private static final long COMMITTED_MAX = 64 * PoolUnderTest.MIB;

    /** Of which a span has few. */
    private static final long HALF_A_SPAN = 30_000;

    private final ThrowEverywhere everywhere;
    private final Before before;

    BlockOperations(ThrowEverywhere everywhere, Before before) {
        this.everywhere = everywhere;
        this.before = before;
    }

    private void check(String name, Function<Holdings, Operation> setUp) {
        checkWith(name, LeakDetection.OFF, false, setUp);
    }

    private void checkWith(
            String name,
            LeakDetection leaks,
            boolean checkBlocks,
            Function<Holdings, Operation> setUp) {
        everywhere.check(
                before.prefix + "block." + name,
                () ->
                        new PoolScenario(
                                new PoolUnderTest(COMMITTED_MAX, leaks, checkBlocks),
                                before.then(setUp)));
    }

    /** Blocks that are checked, and such that are watched. */
    private void tryWatchedOnes() {
        for (boolean checked : new boolean[] {true, false}) {
            String kind = checked ? "checked-" : "watched-";
            LeakDetection leaks = checked ? LeakDetection.OFF : LeakDetection.ALL;
            for (long bytes : new long[] {100, 3 * PoolUnderTest.MIB}) {
                checkWith(
                        kind + "allocate-" + bytes, leaks, checked, held -> allocate(held, bytes));
                checkWith(
                        kind + "free-" + bytes,
                        leaks,
                        checked,
                        held -> held.allocateBlock(bytes)::free);
                checkWith(
                        kind + "allocateSegment-" + bytes,
                        leaks,
                        checked,
                        held -> allocateSegment(held, bytes, true));
            }
            checkWith(
                    kind + "reallocateSegment",
                    leaks,
                    checked,
                    held -> {
                        HeldBlock block = held.allocateBlock(1000);
                        return () -> block.reallocateSegment(5000);
                    });
            checkWith(kind + "again", leaks, checked, BlockOperations::allocateWhatWaits);
            checkWith(
                    kind + "reallocate",
                    leaks,
                    checked,
                    held -> {
                        HeldBlock block = held.allocateBlock(1000);
                        return () -> block.reallocate(5000);
                    });
            checkWith(kind + "trim", leaks, checked, held -> used(held, held.pool::trim));
            checkWith(kind + "tick", leaks, checked, held -> used(held, held.under::tick));
        }
        check("pool.map", held -> used(held, held.pool::map));
    }

    void tryAll() {
        tryWatchedOnes();
        check("first", held -> held.pool::blocks);
        for (long bytes : new long[] {100, HALF_A_SPAN, 3 * PoolUnderTest.MIB}) {
            check("allocate-fresh-" + bytes, held -> allocate(held, bytes));
            check(
                    "allocate-again-" + bytes,
                    held -> {
                        HeldBlock before = held.allocateBlock(bytes);
                        before.free();
                        return allocate(held, bytes);
                    });
            check("free-" + bytes, held -> held.allocateBlock(bytes)::free);
            check("allocateZeroed-" + bytes, held -> allocateZeroed(held, bytes));
            check("allocateSegment-" + bytes, held -> allocateSegment(held, bytes, false));
            check("allocateZeroedSegment-" + bytes, held -> allocateSegment(held, bytes, true));
        }
        check(
                "allocate-alike",
                held -> {
                    held.allocateBlock(PoolUnderTest.MIB).free();
                    held.allocateBlock(PoolUnderTest.MIB / 8 * 7).free();
                    return allocate(held, PoolUnderTest.MIB / 4 * 3);
                });
        check("allocate-drain", BlockOperations::allocateAfterRemoteFrees);
        check("allocate-adopt", BlockOperations::allocateWhereAThreadHasEnded);
        check("free-remote", BlockOperations::freeRemotely);
        check("free-remote-full", BlockOperations::freeRemotelyInAFullSpan);
        check("free-batch", held -> freeWithOthers(held, 3, 400));
        check("free-batch-full", held -> freeWithOthers(held, 40, 400));
        check(
                "free-batch-next",
                held -> {
                    Operation _ = freeWithOthers(held, 3, 400);
                    return freeWithOthers(held, 1, 100);
                });
        check("free-empties", BlockOperations::freeTheLastOfASpan);
        check(
                "reallocate",
                held -> {
                    HeldBlock block = held.allocateBlock(1000);
                    return () -> block.reallocate(5000);
                });
        check(
                "reallocate-in-place",
                held -> {
                    HeldBlock block = held.allocateBlock(3 * PoolUnderTest.MIB);
                    return () -> block.reallocate(5 * PoolUnderTest.MIB);
                });
        check(
                "reallocate-in-its-chunk",
                held -> {
                    HeldBlock block = held.allocateBlock(PoolUnderTest.MIB / 8 * 5);
                    return () -> block.reallocate(PoolUnderTest.MIB);
                });
        for (long bytes : new long[] {990, 5000, 3 * PoolUnderTest.MIB}) {
            check(
                    "reallocateSegment-" + bytes,
                    held -> {
                        HeldBlock block = held.allocateBlock(1000);
                        return () -> block.reallocateSegment(bytes);
                    });
        }
        check("pool.trim", held -> used(held, held.pool::trim));
        check("pool.tick", held -> used(held, held.under::tick));
        check("pool.close", held -> used(held, held.pool::close));
        check("pool.stats", held -> used(held, held.pool::stats));
        check("pool.trim-batch", held -> freeingWithOthers(held, held.pool::trim));
        check("pool.tick-batch", held -> freeingWithOthers(held, held.under::tick));
        check("pool.close-batch", held -> freeingWithOthers(held, held.pool::close));
    }

    private static Operation allocate(Holdings held, long bytes) {
        BlockAllocator blocks = held.pool.blocks();
        HeldBlock block = held.newBlock();
        return () -> {
            block.free();
            block.address = blocks.allocateAddress(bytes);
            block.paint();
        };
    }

    /** So many are freed that the first of them is used again where blocks are checked. */
    private static Operation allocateWhatWaits(Holdings held) {
        HeldBlock[] many = new HeldBlock[300];
        for (int i = 0; i < many.length; i++) {
            many[i] = held.allocateBlock(48);
        }
        for (HeldBlock block : many) {
            block.free();
        }
        return allocate(held, 48);
    }

    private static Operation allocateZeroed(Holdings held, long bytes) {
        held.allocateBlock(bytes).free();
        BlockAllocator blocks = held.pool.blocks();
        HeldBlock block = held.newBlock();
        return () -> {
            block.free();
            block.address = blocks.allocateZeroedAddress(bytes, 16);
            Paint.requireZero(Paint.at(block.address, blocks.usableSize(block.address)));
            block.paint();
        };
    }

    private static Operation allocateSegment(Holdings held, long bytes, boolean zero) {
        BlockAllocator blocks = held.pool.blocks();
        MemorySegment[] segment = new MemorySegment[1];
        HeldBlock block = held.newBlock();
        return () -> {
            if (segment[0] == null) {
                segment[0] = zero ? blocks.allocateZeroed(bytes, 64) : blocks.allocate(bytes, 64);
            }
            if (zero && block.address == 0) {
                Paint.requireZero(segment[0]);
            }
            block.address = segment[0].address();
            block.paint();
        };
    }

    private static void inAnotherThread(Runnable work) {
        Thread thread = Thread.ofPlatform().start(work);
        try {
            thread.join();
        } catch (InterruptedException never) {
            throw new AssertionError("nobody interrupts a set-up", never);
        }
    }

    private static HeldBlock[] manyBlocks(Holdings held) {
        return manyBlocks(held, 1000);
    }

    private static HeldBlock[] manyBlocks(Holdings held, long bytes) {
        HeldBlock[] many = new HeldBlock[70];
        for (int i = 0; i < many.length; i++) {
            many[i] = held.allocateBlock(bytes);
        }
        return many;
    }

    private static Operation allocateAfterRemoteFrees(Holdings held) {
        HeldBlock[] many = manyBlocks(held);
        inAnotherThread(
                () -> {
                    for (HeldBlock block : many) {
                        block.free();
                    }
                });
        Operation[] operations = new Operation[100];
        for (int i = 0; i < operations.length; i++) {
            operations[i] = allocate(held, 1000);
        }
        return () -> {
            for (Operation operation : operations) {
                operation.run();
            }
        };
    }

    private static Operation freeRemotely(Holdings held) {
        HeldBlock[] block = new HeldBlock[1];
        inAnotherThread(() -> block[0] = held.allocateBlock(100));
        return block[0]::free;
    }

    /** Spans of a thread that has ended have room: one that is available, and one that was full. */
    private static Operation allocateWhereAThreadHasEnded(Holdings held) {
        held.allocateBlock(50); // this thread has an owner of its own already
        HeldBlock[][] many = new HeldBlock[1][];
        inAnotherThread(() -> many[0] = manyBlocks(held));
        many[0][3].free();
        many[0][5].free();
        Operation[] operations = new Operation[70];
        for (int i = 0; i < operations.length; i++) {
            operations[i] = allocate(held, 1000);
        }
        return () -> {
            for (Operation operation : operations) {
                operation.run();
            }
        };
    }

    private static Operation freeRemotelyInAFullSpan(Holdings held) {
        HeldBlock[][] many = new HeldBlock[1][];
        inAnotherThread(() -> many[0] = manyBlocks(held));
        return many[0][3]::free;
    }

    /** So many of another thread's are freed already, and most are not there yet. */
    private static Operation freeWithOthers(Holdings held, int before, long bytes) {
        held.allocateBlock(50).free(); // this thread has an owner of its own
        HeldBlock[][] many = new HeldBlock[1][];
        inAnotherThread(() -> many[0] = manyBlocks(held, bytes));
        for (int i = 0; i < before; i++) {
            many[0][i].free();
        }
        return many[0][before]::free;
    }

    private static Operation freeingWithOthers(Holdings held, Operation operation) {
        Operation _ = freeWithOthers(held, 5, 400);
        return operation;
    }

    /** All but the last block of the span that the owner does not allocate from are free. */
    private static Operation freeTheLastOfASpan(Holdings held) {
        HeldBlock[] many = manyBlocks(held);
        for (int i = 1; i < 64; i++) {
            many[i].free();
        }
        return many[0]::free;
    }

    /** Leaves something to give back. */
    private static Operation used(Holdings held, Operation operation) {
        HeldBlock[] many = manyBlocks(held);
        inAnotherThread(many[3]::free);
        for (HeldBlock block : many) {
            block.free();
        }
        held.allocateBlock(3 * PoolUnderTest.MIB).free();
        held.allocateBlock(HALF_A_SPAN).free();
        return operation;
    }
}
