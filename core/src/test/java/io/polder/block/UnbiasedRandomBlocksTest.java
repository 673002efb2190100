package io.polder.block;

/** The same where owners always take the monitor. */
class UnbiasedRandomBlocksTest extends RandomBlocksTest {
    @Override
    boolean biases() {
        return false;
    }
}
