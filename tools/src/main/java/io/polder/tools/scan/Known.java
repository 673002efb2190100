package io.polder.tools.scan;

import java.math.BigInteger;

/**
 * Local variables whose value is known to be 0 or 1.
 *
 * @param slots bit n is set if local variable n is known
 * @param ones bit n is set if it is known to be 1
 */
record Known(BigInteger slots, BigInteger ones) {
    static final Known NOTHING = new Known(BigInteger.ZERO, BigInteger.ZERO);

    Known with(int slot, boolean one) {
        return new Known(slots.setBit(slot), one ? ones.setBit(slot) : ones.clearBit(slot));
    }

    Known without(int slot) {
        return slots.testBit(slot) ? new Known(slots.clearBit(slot), ones.clearBit(slot)) : this;
    }

    boolean has(int slot) {
        return slots.testBit(slot);
    }

    boolean isOne(int slot) {
        return ones.testBit(slot);
    }

    /** What is known whichever of the two holds. */
    Known and(Known other) {
        BigInteger same = slots.and(other.slots).andNot(ones.xor(other.ones));
        return new Known(same, ones.and(same));
    }
}
