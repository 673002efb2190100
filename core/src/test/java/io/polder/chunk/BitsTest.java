package io.polder.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.BitSet;
import java.util.SplittableRandom;

class BitsTest {

    @Test
    void randomRanges_matchABitSet() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int size : new int[] {1, 63, 64, 65, 200, 1024}) {
            Bits bits = new Bits(size);
            BitSet model = new BitSet(size);
            for (int i = 0; i < 400; i++) {
                int from = random.nextInt(size + 1);
                int to = from + random.nextInt(size + 1 - from);
                switch (random.nextInt(4)) {
                    case 0 -> {
                        bits.set(from, to);
                        model.set(from, to);
                    }
                    case 1 -> {
                        bits.clear(from, to);
                        model.clear(from, to);
                    }
                    case 2 -> {
                        BitSet others = BitSet.valueOf(random.longs(size).toArray());
                        Bits same = new Bits(size);
                        others.stream().limit(size).filter(bit -> bit < size).forEach(same::set);
                        others.clear(0, from);
                        others.clear(to, others.length());
                        bits.add(same, from, to);
                        model.or(others);
                    }
                    default -> {
                        int bit = random.nextInt(size);
                        bits.set(bit);
                        model.set(bit);
                    }
                }
                compare("seed=" + seed, bits, model, size, random);
            }
        }
    }

    private static void compare(
            String about, Bits bits, BitSet model, int size, SplittableRandom random) {
        int from = random.nextInt(size);
        int to = from + random.nextInt(size + 1 - from);
        int next = model.nextSetBit(from);
        assertThat(bits.next(from)).as(about).isEqualTo(next < 0 ? size : next);
        assertThat(bits.nextClear(from))
                .as(about)
                .isEqualTo(Math.min(model.nextClearBit(from), size));
        assertThat(bits.count(from, to)).as(about).isEqualTo(model.get(from, to).cardinality());
        assertThat(bits.any(from, to)).as(about).isEqualTo(!model.get(from, to).isEmpty());
        assertThat(bits.count()).as(about).isEqualTo(model.cardinality());
        assertThat(bits.get(from)).as(about).isEqualTo(model.get(from));
    }
}
