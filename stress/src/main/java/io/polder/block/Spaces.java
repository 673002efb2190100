package io.polder.block;

import io.polder.background.Background;
import io.polder.chunk.ChunkSpace;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.ProcessFence;
import io.polder.memory.Providers;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

/** A space of blocks for tests that need one and allocate nothing. */
final class Spaces {
    /** Its owners need no fence of their own. */
    static final BlockSpace SPACE = create();

    private Spaces() {}

    private static BlockSpace create() {
        MemoryProvider provider = Providers.choose().provider();
        MemoryBudget budget = new MemoryBudget(MemoryLimits.NONE, "");
        PageSpace pages =
                new PageSpace(
                        provider,
                        budget,
                        new Background("blocks"),
                        new PageSettings(Long.MAX_VALUE, false, false),
                        Exhaustion.IGNORED,
                        null);
        return new BlockSpace(
                new ChunkSpace(provider, budget),
                pages,
                Exhaustion.IGNORED,
                () -> {},
                ProcessFence.ofThisProcess(),
                _ -> "");
    }
}
