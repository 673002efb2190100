package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Random commits, gives and trims, compared with a set of the pages that must have memory. */
class RandomCommitTest extends SpaceFixture {
    private static final int OPERATIONS = 750;

    @Test
    void committed_matchesTheShadowMap() {
        long seed = System.nanoTime();
        System.out.println("RandomCommitTest: seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        ChunkSpace space = space();
        Set<Long> shadow = new HashSet<>();
        TreeMap<Long, Long> taken = new TreeMap<>();
        int[] mix = new int[5];
        for (int i = 0; i < OPERATIONS; i++) {
            int operation = random.nextInt(mix.length);
            mix[operation]++;
            switch (operation) {
                case 0 -> {
                    int level = random.nextInt(ChunkLevel.COUNT);
                    long word = space.tryTake(level, SMALLEST); // it keeps what comes with it
                    long chunk =
                            word != Chunk.NONE ? word & Chunk.MASK : space.take(level, SMALLEST);
                    taken.put(Chunk.address(chunk), chunk);
                }
                case 1, 2 -> commitRandomly(space, random(taken, random), shadow, random);
                case 3 -> {
                    long chunk = random(taken, random);
                    if (chunk != Chunk.NONE) {
                        taken.remove(Chunk.address(chunk));
                        space.give(chunk, 0);
                    }
                }
                default -> {
                    long before = shadow.size() * page;
                    shadow.removeIf(address -> !isTaken(taken, address));
                    assertThat(space.trim()).isEqualTo(before - shadow.size() * page);
                }
            }
            assertThat(space.statistics().usage().committedBytes()).isEqualTo(shadow.size() * page);
            if (i % 25 == 0) {
                SpaceCheck.verifyAtRest(space);
            }
        }
        assertThat(Arrays.stream(mix).min().orElseThrow())
                .as("mix of operations %s", Arrays.toString(mix))
                .isGreaterThan(OPERATIONS / 10);
        taken.values().forEach(chunk -> space.give(chunk, 0));
    }

    private void commitRandomly(
            ChunkSpace space, long chunk, Set<Long> shadow, SplittableRandom random) {
        if (chunk == Chunk.NONE) {
            return;
        }
        long from = random.nextLong(Chunk.bytes(chunk));
        long to = from + 1 + random.nextLong(Chunk.bytes(chunk) - from);
        space.commit(chunk, from, to);
        long first = (Chunk.address(chunk) + from) / page * page;
        for (long at = first; at < Chunk.address(chunk) + to; at += page) {
            shadow.add(at);
        }
    }

    private boolean isTaken(NavigableMap<Long, Long> taken, long pageAddress) {
        Map.Entry<Long, Long> below = taken.floorEntry(pageAddress + page - 1);
        return below != null && below.getKey() + Chunk.bytes(below.getValue()) > pageAddress;
    }

    private static long random(NavigableMap<Long, Long> taken, SplittableRandom random) {
        if (taken.isEmpty()) {
            return Chunk.NONE;
        }
        Long[] chunks = taken.values().toArray(Long[]::new);
        return chunks[random.nextInt(chunks.length)];
    }
}
