package io.polder.heap.space;

import io.polder.gate.Gate.LongOperation;

import org.jspecify.annotations.Nullable;

/** What is done to a number in an object, by a thread inside the access gate. */
enum NumberChange implements LongOperation<Contents, @Nullable Void> {
    SET_BYTE(1, false) {
        @Override
        long apply(long address, long value, long unused) {
            RawAccess.set(address, Byte.BYTES, value);
            return 0;
        }
    },
    SET_INT(Integer.BYTES, false) {
        @Override
        long apply(long address, long value, long unused) {
            RawAccess.set(address, Integer.BYTES, value);
            return 0;
        }
    },
    SET_LONG(Long.BYTES, false) {
        @Override
        long apply(long address, long value, long unused) {
            RawAccess.set(address, Long.BYTES, value);
            return 0;
        }
    },
    ADD_INT(Integer.BYTES, true) {
        @Override
        long apply(long address, long delta, long unused) {
            return RawAccess.getAndAddInt(address, (int) delta);
        }
    },
    ADD_LONG(Long.BYTES, true) {
        @Override
        long apply(long address, long delta, long unused) {
            return RawAccess.getAndAdd(address, delta);
        }
    },
    COMPARE_AND_SET_INT(Integer.BYTES, true) {
        @Override
        long apply(long address, long expected, long value) {
            return RawAccess.compareAndSetInt(address, (int) expected, (int) value) ? 1 : 0;
        }
    },
    COMPARE_AND_SET_LONG(Long.BYTES, true) {
        @Override
        long apply(long address, long expected, long value) {
            return RawAccess.compareAndSet(address, expected, value) ? 1 : 0;
        }
    };

    /** Of the number. */
    private final int bytes;

    /** Whether it takes effect as a whole, which needs an aligned offset. */
    private final boolean atomic;

    NumberChange(int bytes, boolean atomic) {
        this.bytes = bytes;
        this.atomic = atomic;
    }

    @Override
    public long run(
            Contents contents,
            long handle,
            long offset,
            long first,
            long second,
            @Nullable Void unused) {
        return contents.changeInside(this, handle, offset, first, second);
    }

    /** Changes a number of the object at an address, where it stays meanwhile. */
    long at(long address, long offset, long first, long second) {
        long place = ObjectLayout.checkedContent(address, offset, bytes);
        if (atomic && (offset & (bytes - 1)) != 0) {
            throw new IllegalArgumentException(
                    "an atomic access must be aligned to its size: offset="
                            + offset
                            + ", bytes="
                            + bytes);
        }
        return apply(place, first, second);
    }

    /** Changes the number at an address; returns what the caller gets. */
    abstract long apply(long address, long first, long second);
}
