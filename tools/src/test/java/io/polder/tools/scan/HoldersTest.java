package io.polder.tools.scan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/** Against a list of words, of which the last is the top of the stack. */
class HoldersTest {
    private static final int OPERATIONS = 20_000;
    private static final int LOCALS = 80;

    private final List<Boolean> stack = new ArrayList<>();
    private final BitSet locals = new BitSet();
    private Holders holders = Holders.onTop();
    private final int[] done = new int[8];

    @Test
    void operations_doWhatTheyDoToAListOfWords() {
        long seed = Long.getLong("polder.test.seed", System.nanoTime());
        Random random = new Random(seed);
        stack.add(true);
        for (int i = 0; i < OPERATIONS; i++) {
            step(random);
            assertThat(words()).as("again with -Dpolder.test.seed=%d", seed).isEqualTo(stack);
            for (int slot = 0; slot < LOCALS; slot++) {
                assertThat(holders.inLocal(slot)).isEqualTo(locals.get(slot));
            }
            assertThat(holders.isEmpty()).isEqualTo(!stack.contains(true) && locals.isEmpty());
        }
        for (int count : done) {
            assertThat(count).isGreaterThan(OPERATIONS / 20);
        }
    }

    private void step(Random random) {
        // Four words for the largest shuffle; 100 of them are more than one machine word has bits.
        int operation = stack.size() < 4 ? 0 : random.nextInt(stack.size() > 100 ? 8 : 10) % 8;
        done[operation]++;
        switch (operation) {
            case 0 -> {
                holders = holders.push(2);
                stack.addAll(List.of(false, false));
            }
            case 1 -> {
                holders = holders.pushHeld();
                stack.add(true);
            }
            case 2 -> {
                holders = holders.pop(1);
                stack.removeLast();
            }
            case 3 -> {
                holders = holders.swap();
                stack.add(stack.size() - 2, stack.removeLast());
            }
            case 4 -> dup(1 + random.nextInt(2), random.nextInt(3));
            case 5 -> store(random.nextInt(LOCALS - 1), 1);
            case 6 -> store(random.nextInt(LOCALS - 1), 2);
            default -> {
                holders = holders.pop(3);
                stack.subList(stack.size() - 3, stack.size()).clear();
            }
        }
    }

    private void dup(int words, int moreWords) {
        holders = holders.dup(words, moreWords);
        int top = stack.size();
        List<Boolean> copied = List.copyOf(stack.subList(top - words, top));
        stack.addAll(top - words - moreWords, copied);
    }

    private void store(int slot, int words) {
        holders = holders.store(slot, words);
        for (int i = words - 1; i >= 0; i--) {
            locals.set(slot + i, stack.removeLast());
        }
    }

    private List<Boolean> words() {
        List<Boolean> words = new ArrayList<>();
        for (int depth = stack.size() - 1; depth >= 0; depth--) {
            words.add(holders.atDepth(depth));
        }
        return words;
    }
}
