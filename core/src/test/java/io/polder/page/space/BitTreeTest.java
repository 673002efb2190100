package io.polder.page.space;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.arena.Seed;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.SplittableRandom;
import java.util.TreeSet;

class BitTreeTest {
    /** As many as the address space has. */
    private static final int MOST = 1 << 26;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 63, 64, 65, 4095, 4096, 4097, 300_000, MOST})
    void empty_hasNothing(int size) {
        BitTree tree = new BitTree(size);
        assertThat(tree.count).isZero();
        assertThat(tree.first()).isEqualTo(BitTree.NONE);
        assertThat(tree.last()).isEqualTo(BitTree.NONE);
        assertThat(tree.before(size - 1)).isEqualTo(BitTree.NONE);
        PageCheck.verify(tree);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 63, 64, 65, 4096, 4097, 300_000, MOST})
    void lastBit_isFoundFromBothEnds(int size) {
        BitTree tree = new BitTree(size);
        tree.set(size - 1);
        assertThat(tree.first()).isEqualTo(size - 1);
        assertThat(tree.last()).isEqualTo(size - 1);
        assertThat(tree.before(size - 1)).isEqualTo(BitTree.NONE);
        tree.clear(size - 1);
        assertThat(tree.count).isZero();
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
        assertThat(tree.count).isZero();
        tree.clear(70);
        PageCheck.verify(tree);
    }

    @Test
    void random_ofAnySize_matchesASortedSet() {
        assertThat(MOST).isEqualTo(Granules.COUNT_MAX);
        long seed = Seed.get();
        SplittableRandom random = new SplittableRandom(seed);
        Seed.naming(
                seed,
                () -> {
                    for (int words = 1; words < MOST / Long.SIZE; words *= Long.SIZE) {
                        int full = words * Long.SIZE;
                        for (int size = full - 1; size <= full + 1; size++) {
                            random(size, random);
                        }
                        random(random.nextInt(1, full), random);
                    }
                    random(1, random);
                    random(MOST - 1, random);
                    random(MOST, random);
                });
    }

    private static void random(int size, SplittableRandom random) {
        BitTree tree = new BitTree(size);
        TreeSet<Integer> model = new TreeSet<>();
        int sets = 0;
        int clears = 0;
        for (int i = 0; i < 4000; i++) {
            // Few bits most of the time, so that whole words are zero.
            int bit = place(size, random);
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
            int probe = place(size, random);
            assertThat(tree.get(probe)).isEqualTo(model.contains(probe));
            assertThat(tree.before(probe)).isEqualTo(orNone(model.lower(probe)));
            assertThat(tree.first()).isEqualTo(model.isEmpty() ? BitTree.NONE : model.first());
            assertThat(tree.last()).isEqualTo(model.isEmpty() ? BitTree.NONE : model.last());
            assertThat(tree.count).isEqualTo(model.size());
            if (i % (1 + size / 5000) == 0) {
                PageCheck.verify(tree);
            }
        }
        assertThat(sets).isGreaterThan(1000);
        assertThat(clears).isGreaterThan(1000);
        tree.clearAll();
        assertThat(tree.count).isZero();
        PageCheck.verify(tree);
    }

    /** A bit anywhere; often next to where words of the bits or of the top meet, or to an end. */
    private static int place(int size, SplittableRandom random) {
        int step = random.nextBoolean() ? Long.SIZE : Long.SIZE * Long.SIZE;
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(size);
            case 1 -> random.nextInt(Math.min(size, 3));
            case 2 -> size - 1 - random.nextInt(Math.min(size, 3));
            default -> {
                int meet = random.nextInt(size) / step * step + random.nextInt(-1, 2);
                yield Math.clamp(meet, 0, size - 1);
            }
        };
    }

    private static int orNone(Integer bit) {
        return bit == null ? BitTree.NONE : bit;
    }
}
