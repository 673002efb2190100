package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.ToIntFunction;

/**
 * Operations of a random test, which are drawn by their weights, and how often each was done.
 *
 * @param <O> the operations
 */
public final class Mix<O extends Enum<O>> {
    private final Class<O> operations;
    private final ToIntFunction<O> weight;
    private final SplittableRandom random;
    private final Map<O, Integer> done;

    /**
     * Nothing was done yet.
     *
     * @param weight of an operation: times in a hundred; those of all are a hundred together
     */
    public Mix(Class<O> operations, ToIntFunction<O> weight, SplittableRandom random) {
        this.operations = operations;
        this.weight = weight;
        this.random = random;
        this.done = new EnumMap<>(operations);
    }

    /** Draws an operation. */
    public O draw() {
        int number = random.nextInt(100);
        for (O operation : operations.getEnumConstants()) {
            number -= weight.applyAsInt(operation);
            if (number < 0) {
                return operation;
            }
        }
        throw new AssertionError("the weights are a hundred together");
    }

    /** Counts an operation, which need not be the one that was drawn. */
    public void did(O operation) {
        done.merge(operation, 1, Integer::sum);
    }

    /** Checks that each was done at least a third as often as its weight says, of so many. */
    public void verify(int all) {
        for (O operation : operations.getEnumConstants()) {
            assertThat(done.getOrDefault(operation, 0))
                    .as("mix of operations: %s", done)
                    .isGreaterThan(all * weight.applyAsInt(operation) / 300);
        }
    }
}
