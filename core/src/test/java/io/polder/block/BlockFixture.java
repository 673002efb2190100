package io.polder.block;

import static io.polder.memory.Zeroing.ADDRESS_SPACE;

import static org.assertj.core.api.Assertions.assertThat;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.polder.background.Background;
import io.polder.chunk.ChunkSpace;
import io.polder.chunk.SpaceCheck;
import io.polder.memory.Exhaustion;
import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.ProcessFence;
import io.polder.memory.Providers;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes spaces of blocks; after each test checks them, trims them and looks for what is left. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class BlockFixture {
    static final long KIB = 1 << 10;
    static final long MIB = 1 << 20;

    final FailingMemoryProvider provider = new FailingMemoryProvider(Providers.choose().provider());
    final Background background = new Background("test-blocks");

    /** How often a space said that there is something to do. */
    final AtomicInteger told = new AtomicInteger();

    /** What is done then as well. */
    Runnable whenTold = () -> {};

    /** How often a space said that it refuses somebody. */
    final AtomicInteger refused = new AtomicInteger();

    /** Whether who makes room says so; otherwise it looks as if a tick had been first. */
    boolean roomIsTold = true;

    private final List<Parts> made = new ArrayList<>();

    /** What stands before spaces. */
    private final List<Blocks> all = new ArrayList<>();

    /** What stands behind a space. */
    record Parts(BlockSpace blocks, ChunkSpace chunks, PageSpace pages, MemoryBudget budget) {}

    /** What fences all threads. */
    Runnable fence() {
        return ProcessFence.ofThisProcess();
    }

    BlockSpace space() {
        return space(MemoryLimits.NONE);
    }

    /** A space with a limit on what is committed. */
    BlockSpace space(long committedMaxBytes) {
        return space(new MemoryLimits(committedMaxBytes, MemoryLimits.ADDRESS_SPACE_BYTES));
    }

    BlockSpace space(MemoryLimits limits) {
        return space(provider, limits);
    }

    BlockSpace space(MemoryProvider provider, MemoryLimits limits) {
        MemoryBudget budget = new MemoryBudget(limits, "");
        ChunkSpace chunks = new ChunkSpace(provider, budget);
        PageSpace pages =
                new PageSpace(
                        provider,
                        budget,
                        background,
                        new PageSettings(TimeUnit.DAYS.toNanos(1), false, false),
                        Exhaustion.IGNORED,
                        null);
        BlockSpace[] space = new BlockSpace[1];
        Exhaustion exhaustion =
                new Exhaustion() {
                    @Override
                    public boolean makeRoom() {
                        return space[0].trim() > 0 && roomIsTold;
                    }

                    @Override
                    public void exhausted(MemoryExhaustedException exhausted) {
                        refused.incrementAndGet();
                    }
                };
        Runnable needsTick =
                () -> {
                    told.incrementAndGet();
                    whenTold.run();
                };
        space[0] = new BlockSpace(chunks, pages, exhaustion, needsTick, fence(), _ -> "");
        made.add(new Parts(space[0], chunks, pages, budget));
        return space[0];
    }

    /** The blocks of a space, checked. */
    Blocks checked(BlockSpace space) {
        Blocks checked = CheckedBlocks.of(space);
        all.add(checked);
        return checked;
    }

    /** The space of blocks that are checked, or are one. */
    static BlockSpace spaceOf(Blocks blocks) {
        return blocks instanceof CheckedBlocks checked ? checked.space : (BlockSpace) blocks;
    }

    Parts parts(BlockSpace space) {
        for (Parts parts : made) {
            if (parts.blocks() == space) {
                return parts;
            }
        }
        throw new AssertionError("a space of this fixture");
    }

    /** What is committed behind a space. */
    long committedBytes(BlockSpace space) {
        return parts(space).budget().committed.bytes();
    }

    static void trim(Parts parts) {
        long _ = parts.blocks().trim();
        long _ = parts.chunks().trim();
        long _ = parts.pages().trim();
    }

    @AfterEach
    void nothingIsLeft() {
        provider.heal();
        for (Blocks each : all) {
            BlockCheck.verifyAtRest(each);
        }
        for (Parts parts : made) {
            BlockCheck.verifyAtRest(parts.blocks());
            trim(parts);
            assertThat(parts.blocks().untold()).as("every misuse is told of").isNull();
            BlockCheck.verifyAtRest(parts.blocks());
            assertThat(parts.budget().committed.bytes()).as("every test frees all").isZero();
            SpaceCheck.verifyAtRest(parts.chunks());
            parts.chunks().close();
            parts.pages().close();
            assertThat(parts.budget().reserved.bytes()).isZero();
        }
        assertThat(provider.reservedBytes()).isZero();
    }

    /** Whether all bytes of a block have a value. */
    static boolean filledWith(long block, long bytes, byte value) {
        MemorySegment segment = ADDRESS_SPACE.asSlice(block, bytes);
        byte[] content = segment.toArray(JAVA_BYTE);
        for (byte each : content) {
            if (each != value) {
                return false;
            }
        }
        return true;
    }
}
