package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.HeapMapSnippets.Trades;
import io.polder.arena.Seed;
import io.polder.heap.RelocatingHeap;

import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

class HeapMapSnippetsTest {
    private static final int CHANGES = 60_000;
    private static final long NUMBERS = 4000;

    @Test
    void map_asInTheJavadoc_isAsAHashMapWhileObjectsMove() {
        long seed = Seed.get();
        Seed.naming(
                seed,
                () -> {
                    try (MemoryPool pool = MemoryPool.builder().build();
                            RelocatingHeap heap = pool.openHeap()) {
                        change(heap, new SplittableRandom(seed));
                    }
                });
    }

    private static void change(RelocatingHeap heap, SplittableRandom random) {
        Trades trades = new Trades(heap);
        Map<Long, Double> model = new HashMap<>();
        int removed = 0;
        for (int i = 0; i < CHANGES; i++) {
            long number = random.nextLong(NUMBERS) - NUMBERS / 2;
            if (random.nextInt(3) == 0) {
                boolean was = model.remove(number) != null;
                assertThat(trades.remove(number)).isEqualTo(was);
                removed += was ? 1 : 0;
            } else {
                long quantity = random.nextInt(100);
                trades.put(number, quantity, i);
                model.put(number, quantity * (double) i);
            }
            if (i % (CHANGES / 20) == 0) {
                long _ = heap.compact();
                check(trades, model);
            }
        }
        check(trades, model);
        assertThat(removed).isGreaterThan((int) NUMBERS);
        long _ = heap.compact(); // so that no object is moved while it is counted
        assertThat(heap.stats().liveObjects()).isEqualTo(model.size() + 1);
        assertThat(heap.stats().evacuatedBytes()).isPositive();
    }

    private static void check(Trades trades, Map<Long, Double> model) {
        for (long number = -NUMBERS / 2; number < NUMBERS / 2; number++) {
            long trade = trades.find(number);
            Double value = model.get(number);
            assertThat(trade != 0).isEqualTo(value != null);
            if (value != null) {
                assertThat(trades.value(trade)).isEqualTo(value);
            }
        }
    }
}
