package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.Crew;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** Four owners take, paint and give, while another thread uncommits and checks. */
@Timeout(300)
class ChunkThreadsTest extends SpaceFixture {
    private static final int THREADS = 4;
    private static final int OPERATIONS = 5000;

    @Test
    void fourThreads_withoutLimits() throws Exception {
        run(space());
    }

    @Test
    void fourThreads_atTheLimit() throws Exception {
        run(space(new MemoryLimits(6 * MIB, 20 * MIB)));
    }

    private static void run(ChunkSpace space) throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService threads = Crew.of(THREADS + 1)) {
            List<Future<Integer>> owners = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                byte paint = (byte) (i + 1);
                owners.add(threads.submit(() -> own(space, paint)));
            }
            Future<?> background =
                    threads.submit(
                            () -> {
                                while (!done.get()) {
                                    space.decay();
                                    SpaceCheck.verify(space);
                                    space.trim();
                                    Thread.onSpinWait();
                                }
                            });
            int taken = 0;
            try {
                for (Future<Integer> owner : owners) {
                    taken += owner.get();
                }
            } finally {
                done.set(true);
            }
            background.get();
            assertThat(taken).isGreaterThan(OPERATIONS / 10);
        }
        SpaceCheck.verifyAtRest(space);
    }

    private static int own(ChunkSpace space, byte paint) {
        SplittableRandom random = new SplittableRandom(paint);
        ArrayDeque<Long> chunks = new ArrayDeque<>();
        int taken = 0;
        for (int i = 0; i < OPERATIONS; i++) {
            if (chunks.size() < 20 && random.nextInt(3) > 0) {
                taken += takeAndPaint(space, 4 + random.nextInt(9), paint, chunks) ? 1 : 0;
            } else if (!chunks.isEmpty()) {
                checkAndGive(space, chunks.poll(), paint);
            }
        }
        chunks.forEach(chunk -> checkAndGive(space, chunk, paint));
        return taken;
    }

    private static boolean takeAndPaint(
            ChunkSpace space, int level, byte paint, Queue<Long> chunks) {
        long chunk;
        try {
            chunk = space.take(level, SMALLEST);
        } catch (MemoryExhaustedException e) {
            return false;
        }
        try {
            space.commit(chunk, 0, Chunk.bytes(chunk));
        } catch (MemoryExhaustedException e) {
            space.give(chunk, 0);
            return false;
        }
        Payload.assertZero(chunk);
        Payload.paint(Chunk.address(chunk), Chunk.bytes(chunk), paint);
        chunks.add(chunk);
        return true;
    }

    private static void checkAndGive(ChunkSpace space, long chunk, byte paint) {
        Payload.assertPainted(Chunk.address(chunk), Chunk.bytes(chunk), paint);
        space.give(chunk, Chunk.bytes(chunk));
    }
}
