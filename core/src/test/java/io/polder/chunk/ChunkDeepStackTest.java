package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Operations near the end of a stack: each happens or does not, wherever in it the stack overflows.
 */
class ChunkDeepStackTest extends SpaceFixture {
    private static final int OPERATIONS = 2500;
    private static final long STACK_BYTES = 192 << 10;

    /** How many calls above the deepest one an operation is tried, at most. */
    private static final int ABOVE_MAX = 60;

    private record Owned(long chunk, long committed, byte paint) {}

    private final long seed = System.nanoTime();
    private final SplittableRandom random = new SplittableRandom(seed);
    private final List<Owned> owned = new ArrayList<>(100);
    private int overflows;
    private int done;

    /** What the operation in the deep did; written in place by it. */
    private long result;

    @Test
    void random_nearTheEndOfTheStack_happensOrDoesNot() throws InterruptedException {
        System.out.println("ChunkDeepStackTest: seed=" + seed);
        ChunkSpace space = space(system, new MemoryLimits(16 * MIB, 64 * MIB));
        space.give(take(space, KIB), 0);
        Throwable[] failure = new Throwable[1];
        Thread thread = new Thread(null, () -> run(space), "deep", STACK_BYTES);
        thread.setUncaughtExceptionHandler((_, thrown) -> failure[0] = thrown);
        thread.start();
        Await.end(thread);
        assertThat(failure[0]).as("seed=%d", seed).isNull();
        assertThat(overflows).as("seed=%d, done=%d", seed, done).isGreaterThan(OPERATIONS / 20);
        assertThat(done).as("seed=%d", seed).isGreaterThan(OPERATIONS / 20);
        owned.forEach(each -> checkAndGive(space, each));
    }

    private void run(ChunkSpace space) {
        for (int i = 0; i < OPERATIONS; i++) {
            step(space);
            SpaceCheck.verifyAtRest(space);
            long used = owned.stream().mapToLong(each -> Chunk.bytes(each.chunk())).sum();
            assertThat(space.statistics().usedBytes()).as("seed=%d", seed).isEqualTo(used);
            assertBudgetIsOf(space, budget(space));
        }
    }

    private void step(ChunkSpace space) {
        int number = random.nextInt(100);
        if (owned.isEmpty() || number < (owned.size() < 40 ? 40 : 15)) {
            take(space);
        } else if (number < 55) {
            give(space, random.nextInt(owned.size()));
        } else if (number < 70) {
            enlarge(space, random.nextInt(owned.size()));
        } else if (number < 90) {
            commit(space, random.nextInt(owned.size()));
        } else if (number < 95) {
            deep(space::decay);
        } else {
            deep(space::trim);
        }
    }

    private void take(ChunkSpace space) {
        int preferred = random.nextInt(ChunkLevel.COUNT);
        int smallest = preferred + random.nextInt(ChunkLevel.COUNT - preferred);
        if (deep(() -> result = space.take(preferred, smallest))) {
            Payload.assertZero(result);
            owned.add(new Owned(result, 0, (byte) (1 + random.nextInt(100))));
        }
    }

    private void give(ChunkSpace space, int index) {
        Owned old = owned.get(index);
        long address = Chunk.address(old.chunk());
        Payload.assertPainted(address, old.committed(), old.paint());
        boolean given = deep(() -> space.give(old.chunk(), old.committed()));
        if (given) {
            owned.remove(index);
        } else {
            // Still the owner's, and partly zero: as if it had just been taken and committed.
            Payload.paint(address, old.committed(), old.paint());
        }
    }

    private void enlarge(ChunkSpace space, int index) {
        Owned old = owned.get(index);
        if (deep(() -> result = space.enlarge(old.chunk()) & Chunk.MASK) && result != Chunk.NONE) {
            owned.set(index, new Owned(result, old.committed(), old.paint()));
        }
    }

    private void commit(ChunkSpace space, int index) {
        Owned old = owned.get(index);
        long from = old.committed();
        long to = from + random.nextLong(Chunk.bytes(old.chunk()) - from + 1);
        if (deep(() -> result = space.commit(old.chunk(), from, to))) {
            long address = Chunk.address(old.chunk());
            Payload.assertZero(address + from, to - from);
            Payload.paint(address + from, to - from, old.paint());
            owned.set(index, new Owned(old.chunk(), to, old.paint()));
        }
    }

    private static void checkAndGive(ChunkSpace space, Owned each) {
        Payload.assertPainted(Chunk.address(each.chunk()), each.committed(), each.paint());
        space.give(each.chunk(), each.committed());
    }

    /** Runs an operation a few calls above the end of the stack; returns whether it returned. */
    private boolean deep(Runnable operation) {
        boolean[] returned = {false};
        int above = random.nextInt(ABOVE_MAX);
        try {
            down(
                    above,
                    random.nextInt(1 << 20),
                    0,
                    () -> {
                        operation.run();
                        returned[0] = true;
                    });
        } catch (MemoryExhaustedException exhausted) {
            return false;
        }
        return returned[0];
    }

    /** Calls itself until the stack overflows, and returns how many calls are below. */
    private int down(int above, long uneven, long other, Runnable operation) {
        int below;
        try {
            below =
                    1
                            + ((uneven & 1) == 0
                                    ? down(above, uneven >> 1, other, operation)
                                    : downUneven(above, uneven >> 1, other, 1, 2, 3, operation));
        } catch (StackOverflowError end) {
            below = 0;
        }
        if (below == above) {
            try {
                operation.run();
                done++;
            } catch (StackOverflowError tooDeep) {
                overflows++;
            }
        }
        return below;
    }

    /** The same with a larger frame: so that the end comes at any place. */
    private int downUneven(
            int above, long uneven, long a, long b, long c, long d, Runnable operation) {
        return down(above, uneven, a + b + c + d, operation);
    }
}
