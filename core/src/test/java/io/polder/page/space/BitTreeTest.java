package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.SplittableRandom;
import java.util.TreeSet;

class BitTreeTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 63, 64, 65, 4095, 4096, 4097, 300_000})
    void empty_hasNothing(int size) {
        BitTree tree = new BitTree(size);
        assertThat(tree.isEmpty()).isTrue();
        assertThat(tree.first()).isEqualTo(BitTree.NONE);
        assertThat(tree.last()).isEqualTo(BitTree.NONE);
        assertThat(tree.before(size - 1)).isEqualTo(BitTree.NONE);
        PageCheck.verify(tree);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 63, 64, 65, 4096, 4097, 300_000})
    void lastBit_isFoundFromBothEnds(int size) {
        BitTree tree = new BitTree(size);
        tree.set(size - 1);
        assertThat(tree.first()).isEqualTo(size - 1);
        assertThat(tree.last()).isEqualTo(size - 1);
        assertThat(tree.before(size - 1)).isEqualTo(BitTree.NONE);
        tree.clear(size - 1);
        assertThat(tree.isEmpty()).isTrue();
    }

    @Test
    void before_farAway_isFoundOverLevels() {
        BitTree tree = new BitTree(300_000);
        tree.set(3);
        assertThat(tree.before(299_999)).isEqualTo(3);
        assertThat(tree.before(4)).isEqualTo(3);
        assertThat(tree.before(3)).isEqualTo(BitTree.NONE);
        assertThat(tree.before(0)).isEqualTo(BitTree.NONE);
    }

    @Test
    void setAndClear_twice_areAsOnce() {
        BitTree tree = new BitTree(100);
        tree.set(70);
        tree.set(70);
        tree.clear(70);
        assertThat(tree.isEmpty()).isTrue();
        tree.clear(70);
        PageCheck.verify(tree);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 64, 65, 5000})
    void random_matchesASortedSet(int size) {
        long seed = Seed.get();
        Seed.naming(seed, () -> random(new BitTree(size), size, new SplittableRandom(seed)));
    }

    private static void random(BitTree tree, int size, SplittableRandom random) {
        TreeSet<Integer> model = new TreeSet<>();
        int sets = 0;
        int clears = 0;
        for (int i = 0; i < 5000; i++) {
            // Few bits most of the time, so that whole words are zero.
            int bit = random.nextInt(size);
            if (model.size() < 20 && random.nextBoolean()) {
                tree.set(bit);
                model.add(bit);
                sets++;
            } else {
                Integer victim = model.ceiling(bit);
                tree.clear(victim == null ? bit : victim);
                model.remove(victim == null ? bit : victim);
                clears++;
            }
            int probe = random.nextInt(size);
            assertThat(tree.get(probe)).isEqualTo(model.contains(probe));
            assertThat(tree.before(probe)).isEqualTo(orNone(model.lower(probe)));
            assertThat(tree.first()).isEqualTo(model.isEmpty() ? BitTree.NONE : model.first());
            assertThat(tree.last()).isEqualTo(model.isEmpty() ? BitTree.NONE : model.last());
            assertThat(tree.isEmpty()).isEqualTo(model.isEmpty());
            PageCheck.verify(tree);
        }
        assertThat(sets).isGreaterThan(1000);
        assertThat(clears).isGreaterThan(1000);
    }

    private static int orNone(Integer bit) {
        return bit == null ? BitTree.NONE : bit;
    }
}
