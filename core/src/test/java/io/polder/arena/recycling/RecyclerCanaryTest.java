package io.polder.arena.recycling;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.polder.arena.SlabAudit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;

/** {@link Recycler#verify} throws when the state it looks at was broken on purpose. */
class RecyclerCanaryTest {
    private final BumpArena arena = new BumpArena(1 << 20);
    private final Recycler recycler = new Recycler(arena, true);
    private final BlockTable blocks = (BlockTable) SlabAudit.field(recycler, "blocks");
    private final AddressIndex index = (AddressIndex) SlabAudit.field(recycler, "index");
    private final FreeBlocks free = (FreeBlocks) SlabAudit.field(recycler, "free");

    private int live;
    private int small;
    private int other;
    private int large;
    private int larger;
    private int recent;

    /** Two free blocks in bins, two in the tree, live ones around them, and one that is recent. */
    @BeforeEach
    void allocateAndFree() {
        long[] sizes = {64, 16, 64, 16, 5000, 16, 6000, 16, 80, 16};
        MemorySegment[] segments = new MemorySegment[sizes.length];
        int[] numbers = new int[sizes.length];
        for (int i = 0; i < sizes.length; i++) {
            segments[i] = recycler.allocate(sizes[i], 1);
            numbers[i] = index.find(segments[i].address());
        }
        for (int i = 0; i < sizes.length; i += 2) {
            recycler.free(segments[i]);
        }
        small = numbers[0];
        live = numbers[1];
        other = numbers[2];
        large = numbers[4];
        larger = numbers[6];
        recent = numbers[8];
        recycler.verify();
    }

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void verify_freeMemoryIsDirty_throws() {
        write(blocks.end(small) - 1);
        assertBroken("free memory is zero: number=" + small);
    }

    @Test
    void verify_recentMemoryIsDirty_throws() {
        write(blocks.address(recent));
        assertBroken("free memory is zero: number=" + recent);
    }

    @SuppressWarnings("restricted")
    private static void write(long address) {
        MemorySegment.ofAddress(address).reinterpret(1).set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
    }

    @Test
    void verify_sizeOfAListedBlockChanged_throws() {
        blocks.set(small, 80, BlockTable.FREE);
        assertBroken("a block is in its bin: number=" + small);
    }

    @Test
    void verify_stateOfAListedBlockChanged_throws() {
        blocks.set(other, 64, BlockTable.LIVE);
        assertBroken("what is listed is free: number=" + other);
    }

    @Test
    void verify_blockLeftItsBin_throws() {
        free.remove(small);
        assertBroken("free blocks are listed");
    }

    @Test
    void verify_binOutOfStep_throws() {
        blocks.setLinks(other, small, small);
        assertBroken("lists are linked both ways");
    }

    @Test
    void verify_bitWithoutBlock_throws() throws Exception {
        set(free, "occupied", (long) SlabAudit.field(free, "occupied") | 1);
        assertBroken("a bit for a bin: number=0");
    }

    @Test
    void verify_sumOfBytesWrong_throws() throws Exception {
        set(free, "bytes", free.bytes() + 16);
        assertBroken("bytes == sum over the blocks");
    }

    @Test
    void verify_treeUnsorted_throws() {
        blocks.set(large, 7008, BlockTable.FREE);
        blocks.set(larger, 4000, BlockTable.FREE);
        assertBroken("the tree is sorted");
    }

    @Test
    void verify_smallBlockInTheTree_throws() {
        blocks.set(large, 64, BlockTable.FREE);
        assertBroken("the tree has what no bin has: number=" + large);
    }

    @Test
    void verify_treeUpsideDown_throws() throws Exception {
        FreeTree tree = (FreeTree) SlabAudit.field(free, "tree");
        int root = tree.root();
        int below = root == large ? larger : large;
        blocks.setLinks(root, BlockTable.NONE, BlockTable.NONE);
        boolean before = tree.sortsBefore(root, below);
        blocks.setLinks(below, before ? root : 0, before ? 0 : root);
        set(tree, "root", below);
        assertBroken("no block is above one of higher rank");
    }

    @Test
    void verify_liveBlockNotInTheIndex_throws() {
        index.remove(live);
        assertBroken("live and recent blocks are in the index");
    }

    @Test
    void verify_liveBlockNotFound_throws() throws Exception {
        index.remove(live);
        set(index, "count", index.count() + 1);
        assertBroken("live and recent blocks are in the index: number=" + live);
    }

    @Test
    void verify_neighbourLost_throws() {
        blocks.detach(recent);
        blocks.setLinks(blocks.before(live), 0, 0);
        assertBroken("lists are linked both ways");
    }

    @Test
    void verify_twoRecent_throws() throws Exception {
        set(recycler, "recent", live);
        assertBroken("at most one block is recent: number=" + live);
    }

    @Test
    void verify_numberLost_throws() throws Exception {
        set(blocks, "next", blocks.next() + 1);
        assertBroken("a number is a block or spare");
    }

    @Test
    void verify_freeNeighbours_throws() {
        index.remove(live);
        blocks.set(live, 16, BlockTable.FREE);
        free.add(live);
        assertBroken("no two neighbours are free: number=" + live);
    }

    @Test
    void verify_liveBlockGrew_throws() {
        blocks.set(live, 17, BlockTable.LIVE);
        assertBroken("blocks do not overlap");
    }

    @Test
    void verify_liveBlockShrank_throws() {
        int before = blocks.after(other);
        blocks.set(other, 48, BlockTable.FREE);
        assertBroken("a block is in its bin: number=" + other);
        blocks.set(other, 64, BlockTable.FREE);
        blocks.set(before, 16, BlockTable.LIVE);
        recycler.verify();
    }

    @Test
    void verify_sumOfAllocatedWrong_throws() throws Exception {
        set(recycler, "allocatedBytes", recycler.allocatedBytes() - 16);
        assertBroken("allocated bytes == sum over the live blocks");
    }

    @Test
    void verify_countOfAllocatedWrong_throws() throws Exception {
        set(recycler, "allocatedCount", recycler.allocatedCount() + 1);
        assertBroken("allocated count == live blocks");
    }

    private static void set(Object target, String name, Object value)
            throws ReflectiveOperationException {
        Field field = target.getClass().getDeclaredField(name);
        field.setAccessible(true);
        field.set(target, value);
    }

    private void assertBroken(String message) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(recycler::verify)
                .withMessageContaining(message);
    }
}
