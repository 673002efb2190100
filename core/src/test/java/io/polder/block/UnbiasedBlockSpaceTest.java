package io.polder.block;

/** The same where owners always take the monitor. */
class UnbiasedBlockSpaceTest extends BlockSpaceTest {
    @Override
    boolean biases() {
        return false;
    }
}
