package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/** Arenas open at the same time, closed in any order. */
interface NestingContract extends ArenaUnderTest {
    @Test
    default void close_fourDeepInEveryOrder_touchesNoOther() {
        for (List<Integer> order : permutations(4)) {
            closeIn(order);
        }
    }

    @Test
    default void close_twentyDeep_touchesNoOther() {
        List<Integer> order = new ArrayList<>(IntStream.range(0, 20).boxed().toList());
        closeIn(order);
        closeIn(order.reversed());
        for (int seed = 0; seed < 10; seed++) {
            Collections.shuffle(order, new Random(seed));
            closeIn(order);
        }
    }

    @Test
    default void open_insideAnother_whileBothGrow_keepsBoth() {
        try (Arena outer = open()) {
            List<MemorySegment> segments = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                MemorySegment segment = outer.allocate(40);
                Paint.paint(segment, i);
                segments.add(segment);
                try (Arena inner = open()) {
                    MemorySegment other = inner.allocate(3L * i);
                    assertThat(Paint.isZero(other)).isTrue();
                    other.fill((byte) 0xFF);
                }
            }
            for (int i = 0; i < segments.size(); i++) {
                assertThat(Paint.isPainted(segments.get(i), i)).isTrue();
            }
        }
    }

    private void closeIn(List<Integer> order) {
        List<Arena> arenas = new ArrayList<>();
        List<MemorySegment> segments = new ArrayList<>();
        Set<Long> addresses = new HashSet<>();
        for (int i = 0; i < order.size(); i++) {
            Arena arena = open();
            MemorySegment segment = arena.allocate(48);
            assertThat(Paint.isZero(segment)).isTrue();
            Paint.paint(segment, i);
            arenas.add(arena);
            segments.add(segment);
            addresses.add(segment.address());
        }
        assertThat(addresses).hasSize(order.size());
        Set<Integer> open = new HashSet<>(order);
        for (int index : order) {
            arenas.get(index).close();
            open.remove(index);
            for (int left : open) {
                assertThat(Paint.isPainted(segments.get(left), left)).isTrue();
            }
        }
    }

    private static List<List<Integer>> permutations(int count) {
        if (count == 0) {
            return List.of(List.of());
        }
        List<List<Integer>> all = new ArrayList<>();
        for (List<Integer> shorter : permutations(count - 1)) {
            for (int at = 0; at < count; at++) {
                List<Integer> longer = new ArrayList<>(shorter);
                longer.add(at, count - 1);
                all.add(longer);
            }
        }
        return all;
    }
}
