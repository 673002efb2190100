package io.polder.lab.harness;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** The numbers of a point: one for each constant of an enum, in its order. */
public final class Numbers {
    private Numbers() {}

    /**
     * Copies the numbers of a point.
     *
     * @throws IllegalArgumentException if there is not one for each constant
     */
    public static <E extends Enum<E>> Map<E, Long> complete(Class<E> type, Map<E, Long> numbers) {
        if (numbers.size() != type.getEnumConstants().length) {
            throw new IllegalArgumentException("a point has all values: values=" + numbers);
        }
        return Collections.unmodifiableMap(new EnumMap<>(numbers));
    }

    /** One of them. */
    public static <E extends Enum<E>> long get(Map<E, Long> numbers, E which) {
        return Objects.requireNonNull(numbers.get(which));
    }
}
