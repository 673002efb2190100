package io.polder.heap.space;

import org.jspecify.annotations.Nullable;

/**
 * What is done to a number in an object. All changes are of one class: one method of the gate
 * serves every operation, and HotSpot inlines there what is of two classes at most. This leaves one
 * to {@link Contents#PUT}.
 *
 * @param bytes of the number: 1, 4 or 8
 * @param kind what is done; all but setting takes effect as a whole, which needs an aligned offset
 */
record NumberChange(int bytes, int kind) implements Change<@Nullable Void> {
    private static final int SET = 0;
    private static final int ADD = 1;
    private static final int COMPARE_AND_SET = 2;

    static final NumberChange SET_BYTE = new NumberChange(Byte.BYTES, SET);
    static final NumberChange SET_INT = new NumberChange(Integer.BYTES, SET);
    static final NumberChange SET_LONG = new NumberChange(Long.BYTES, SET);

    /** Adds to a number; what it was. */
    static final NumberChange ADD_INT = new NumberChange(Integer.BYTES, ADD);

    static final NumberChange ADD_LONG = new NumberChange(Long.BYTES, ADD);

    /** Changes a number if it is as expected; 1 if it was. */
    static final NumberChange COMPARE_AND_SET_INT =
            new NumberChange(Integer.BYTES, COMPARE_AND_SET);

    static final NumberChange COMPARE_AND_SET_LONG = new NumberChange(Long.BYTES, COMPARE_AND_SET);

    @Override
    public long at(long address, long offset, long first, long second, @Nullable Void unused) {
        long at = ObjectLayout.checkedContent(address, offset, bytes);
        if (kind != SET) {
            return atomically(at, offset, first, second);
        }
        RawAccess.set(at, bytes, first);
        return first;
    }

    private long atomically(long at, long offset, long first, long second) {
        if ((offset & (bytes - 1)) != 0) {
            throw new IllegalArgumentException(
                    "an atomic access must be aligned to its size: offset="
                            + offset
                            + ", bytes="
                            + bytes);
        }
        boolean isInt = bytes == Integer.BYTES;
        if (kind == ADD) {
            return isInt ? RawAccess.getAndAddInt(at, (int) first) : RawAccess.getAndAdd(at, first);
        }
        boolean changed =
                isInt
                        ? RawAccess.compareAndSetInt(at, (int) first, (int) second)
                        : RawAccess.compareAndSet(at, first, second);
        return changed ? 1 : 0;
    }
}
