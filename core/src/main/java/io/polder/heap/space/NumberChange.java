package io.polder.heap.space;

import org.jspecify.annotations.Nullable;

/**
 * What is done to a number in an object, by a thread inside the access gate.
 *
 * @param bytes of the number
 * @param atomic whether it takes effect as a whole, which needs an aligned offset
 * @param effect what it is
 */
record NumberChange(int bytes, boolean atomic, Effect effect) implements Change<@Nullable Void> {
    static final NumberChange SET_BYTE = set(Byte.BYTES);
    static final NumberChange SET_INT = set(Integer.BYTES);
    static final NumberChange SET_LONG = set(Long.BYTES);

    static final NumberChange ADD_INT =
            new NumberChange(
                    Integer.BYTES, true, (at, add, _) -> RawAccess.getAndAddInt(at, (int) add));

    static final NumberChange ADD_LONG =
            new NumberChange(Long.BYTES, true, (at, add, _) -> RawAccess.getAndAdd(at, add));

    static final NumberChange COMPARE_AND_SET_INT =
            new NumberChange(
                    Integer.BYTES,
                    true,
                    (at, expected, value) ->
                            RawAccess.compareAndSetInt(at, (int) expected, (int) value) ? 1 : 0);

    static final NumberChange COMPARE_AND_SET_LONG =
            new NumberChange(
                    Long.BYTES,
                    true,
                    (at, expected, value) -> RawAccess.compareAndSet(at, expected, value) ? 1 : 0);

    /** Changes the number at an address; returns what the caller gets. */
    interface Effect {
        long apply(long address, long first, long second);
    }

    private static NumberChange set(int bytes) {
        return new NumberChange(
                bytes,
                false,
                (at, value, _) -> {
                    RawAccess.set(at, bytes, value);
                    return 0;
                });
    }

    @Override
    public long at(long address, long offset, long first, long second, @Nullable Void unused) {
        long place = ObjectLayout.checkedContent(address, offset, bytes);
        if (atomic && (offset & (bytes - 1)) != 0) {
            throw new IllegalArgumentException(
                    "an atomic access must be aligned to its size: offset="
                            + offset
                            + ", bytes="
                            + bytes);
        }
        return effect.apply(place, first, second);
    }
}
