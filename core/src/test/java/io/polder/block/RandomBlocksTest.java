package io.polder.block;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Await;
import io.polder.arena.Seed;
import io.polder.arena.TestScale;
import io.polder.block.RandomBlocks.Operation;
import io.polder.memory.Errno;
import io.polder.memory.FailingMemoryProvider.Call;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Threads that come, use blocks at random, hand them to others and end. */
class RandomBlocksTest extends BlockFixture {
    private static final int THREADS = 4;
    private static final int GENERATIONS = TestScale.of(3, 5);
    private static final int OPERATIONS = 4_000;

    private final Map<Operation, Integer> done = new EnumMap<>(Operation.class);

    @Test
    void oneThread_always_keepsWhatIsWritten() {
        long seed = Seed.get();
        Seed.naming(seed, () -> run(blocks(space()), seed, 1, false));
        assertDone(Operation.TICK, Operation.TRIM, Operation.REALLOCATE);
    }

    @Test
    void platformThreads_thatEnd_keepWhatIsWritten() {
        long seed = Seed.get();
        Seed.naming(seed, () -> run(blocks(space()), seed, THREADS, false));
        assertDone(Operation.HAND_OVER, Operation.TAKE_OVER, Operation.TICK);
    }

    @Test
    void virtualThreads_always_keepWhatIsWritten() {
        long seed = Seed.get();
        Seed.naming(seed, () -> run(blocks(space()), seed, THREADS, true));
        assertDone(Operation.HAND_OVER, Operation.TAKE_OVER, Operation.FREE);
    }

    @Test
    void threads_withALimit_areRefusedAndGoOn() {
        long seed = Seed.get();
        Seed.naming(seed, () -> run(blocks(space(12 * MIB)), seed, THREADS, false));
        assertDone(Operation.REFUSED, Operation.HAND_OVER, Operation.ALLOCATE);
    }

    @Test
    void threads_withCallsThatFail_areRefusedAndGoOn() {
        long seed = Seed.get();
        provider.failWhen(Call.COMMIT, n -> n % 4 != 0, Errno.ENOMEM);
        provider.failWhen(Call.RESERVE, n -> n % 2 == 0, Errno.ENOMEM);
        provider.failWhen(Call.UNCOMMIT, n -> n % 5 == 0, Errno.EINVAL);
        Seed.naming(seed, () -> run(blocks(space()), seed, THREADS, false));
        assertDone(Operation.REFUSED, Operation.HAND_OVER, Operation.ALLOCATE);
    }

    private void assertDone(Operation... operations) {
        for (Operation operation : operations) {
            assertThat(done.getOrDefault(operation, 0)).as(operation.name()).isPositive();
        }
        assertThat(done.getOrDefault(Operation.FREE, 0)).isGreaterThan(OPERATIONS / 10);
    }

    /** What threads use. */
    Blocks blocks(BlockSpace space) {
        return space;
    }

    private void run(Blocks space, long seed, int threads, boolean virtual)
            throws InterruptedException {
        AtomicReferenceArray<RandomBlocks.Block> common = new AtomicReferenceArray<>(64);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        for (int generation = 0; generation < GENERATIONS; generation++) {
            List<Thread> running = new ArrayList<>();
            List<RandomBlocks> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                RandomBlocks blocks =
                        new RandomBlocks(space, common, seed, generation * threads + i);
                all.add(blocks);
                Runnable work = () -> run(blocks, failure);
                running.add(
                        virtual ? Thread.ofVirtual().start(work) : Thread.ofPlatform().start(work));
            }
            for (Thread thread : running) {
                Await.end(thread);
            }
            if (failure.get() != null) {
                throw new AssertionError(failure.get());
            }
            BlockCheck.verifyAtRest(space);
            for (RandomBlocks blocks : all) {
                blocks.done().forEach((key, value) -> done.merge(key, value, Integer::sum));
            }
        }
        for (int i = 0; i < common.length(); i++) {
            RandomBlocks.Block block = common.get(i);
            if (block != null) {
                space.free(block.address());
            }
        }
    }

    private static void run(RandomBlocks blocks, AtomicReference<@Nullable Throwable> failure) {
        try {
            blocks.run(OPERATIONS);
        } catch (Throwable thrown) {
            failure.compareAndSet(null, thrown);
        }
    }
}
