package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.polder.Await;
import io.polder.arena.Seed;
import io.polder.gate.ScriptedThread;
import io.polder.memory.DelegatingProvider;
import io.polder.memory.MemoryLimits;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;

/**
 * A closed space of which an error lost a block is released with it: as soon as no other is used,
 * and no thread writes to one that was freed just before.
 */
class LostBlocksTest extends BlockFixture {
    private static final int ROUNDS = 60;

    /** Takes memory back at once, and the addresses later: so what is written there is found. */
    private final class Delaying extends DelegatingProvider {
        private final Map<Long, Long> released = new HashMap<>();

        Delaying() {
            super(provider);
        }

        @Override
        public synchronized void release(long address, long bytes) {
            if (canUncommit()) {
                uncommit(address, bytes);
            } else {
                ADDRESS_SPACE.asSlice(address, bytes).fill((byte) 0);
            }
            released.put(address, bytes);
        }

        synchronized void releaseNow() {
            released.forEach(super::release);
            released.clear();
        }
    }

    private record Block(long address, long bytes) {}

    /** What a pool does again and again when it is closed. */
    private static boolean tryClose(Parts parts) {
        trim(parts);
        try {
            Lost lost = parts.blocks().lost();
            parts.chunks().close(lost.chunkBytes);
            parts.pages().close(lost.pageBytes);
            return true;
        } catch (IllegalStateException notYet) {
            return false;
        }
    }

    @Test
    void close_whileOthersFreeTheLastBlocks_takesNothingThatIsWrittenTo() {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    SplittableRandom random = new SplittableRandom(seed);
                    for (int round = 0; round < ROUNDS; round++) {
                        closeBesideFrees(random, round % 3 != 0);
                    }
                });
    }

    private void closeBesideFrees(SplittableRandom random, boolean checks) {
        Delaying delaying = new Delaying();
        BlockSpace space = space(delaying, MemoryLimits.NONE);
        Blocks blocks = checks ? checked(space) : space;
        List<Block> all = new ArrayList<>();
        CyclicBarrier start = new CyclicBarrier(3);
        try (ScriptedThread owner = ScriptedThread.platform();
                ScriptedThread other = ScriptedThread.platform()) {
            long lostBytes = size(random);
            List<Long> sizes = new ArrayList<>();
            for (int i = 1 + random.nextInt(6); i > 0; i--) {
                sizes.add(size(random));
            }
            owner.run(
                    () -> {
                        LostBlock.in(space, lostBytes);
                        sizes.forEach(bytes -> all.add(new Block(blocks.allocate(bytes), bytes)));
                    });
            int border = random.nextInt(all.size() + 1);
            space.close();
            FutureTask<Boolean> first = freeAll(owner, blocks, all.subList(0, border), start);
            FutureTask<Boolean> second =
                    freeAll(other, blocks, all.subList(border, all.size()), start);
            Await.all(start);
            while (!tryClose(parts(space))) {
                Thread.onSpinWait();
            }
            boolean _ = ScriptedThread.get(first);
            boolean _ = ScriptedThread.get(second);
            trim(parts(space)); // a span may have been announced when it was lost
            for (Block block : all) {
                assertThat(filledWith(block.address(), block.bytes(), (byte) 0))
                        .as("nothing was written to %s after it was released", block)
                        .isTrue();
            }
        } finally {
            delaying.releaseNow();
        }
    }

    /** More often such as take long to paint. */
    private static long size(SplittableRandom random) {
        long most = random.nextInt(3) == 0 ? 1000 : 3 * MIB;
        return 1 + random.nextLong(most);
    }

    private static FutureTask<Boolean> freeAll(
            ScriptedThread thread, Blocks blocks, List<Block> some, CyclicBarrier start) {
        return thread.begin(
                () -> {
                    Await.all(start);
                    some.forEach(block -> blocks.free(block.address()));
                    return true;
                });
    }

    @Test
    void lost_whileAThreadMayPaintABlock_waits() {
        BlockSpace space = space();
        Blocks blocks = checked(space);
        LostBlock.in(space, 100);
        space.close();
        try (ScriptedThread closer = ScriptedThread.platform()) {
            FutureTask<Boolean> lost;
            synchronized (blocks) { // as a thread that frees
                lost = closer.beginBlocking(space::lost);
                assertThat(space.hasSpans()).isTrue();
            }
            boolean _ = ScriptedThread.get(lost);
        }
        assertThat(space.hasSpans()).isFalse();
        assertThat(tryClose(parts(space))).isTrue();
    }

    /** It found the space open, and then waited for another thread. */
    @Test
    void allocate_ofWhatWaitsWhenTheSpaceIsLost_isRefused() {
        BlockSpace space = space();
        Blocks blocks = checked(space);
        LostBlock.in(space, 64);
        List<Long> freed = new ArrayList<>();
        for (int i = 0; i <= Quarantine.COUNT_MIN; i++) {
            freed.add(blocks.allocate(64));
        }
        freed.forEach(blocks::free);
        try (ScriptedThread late = ScriptedThread.platform()) {
            FutureTask<Boolean> refused;
            synchronized (blocks) {
                refused =
                        late.beginBlocking(
                                () ->
                                        assertThatIllegalStateException()
                                                .isThrownBy(() -> blocks.allocate(64))
                                                .withMessageStartingWith("the pool is closed"));
                space.close();
                assertThat(space.lost().chunkBytes).isPositive();
            }
            boolean _ = ScriptedThread.get(refused);
        }
        assertThat(tryClose(parts(space))).isTrue();
    }
}
