package io.polder.block;

/** The same with blocks that are checked: nothing is found where nothing is wrong. */
class CheckedRandomBlocksTest extends RandomBlocksTest {
    @Override
    Blocks blocks(BlockSpace space) {
        return checked(space);
    }
}
