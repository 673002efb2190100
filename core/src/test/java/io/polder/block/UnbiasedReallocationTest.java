package io.polder.block;

/** The same where owners always take the monitor. */
class UnbiasedReallocationTest extends ReallocationTest {
    @Override
    boolean biases() {
        return false;
    }
}
