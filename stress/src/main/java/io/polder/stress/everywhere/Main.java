package io.polder.stress.everywhere;

import io.polder.PoolOperations;
import io.polder.background.BackgroundOperations;
import io.polder.chunk.ChunkOperations;
import io.polder.chunk.ChunkRecoveryOperations;
import io.polder.page.space.PageSpaceOperations;

/**
 * Tries every operation of the library, on platform and on virtual threads. Exit code 0 if all is
 * well and the canary was caught, 1 if not, 2 for arguments that are none.
 */
public final class Main {
    private Main() {}

    /** Tries what the arguments say; see {@link Plan}. */
    public static void main(String[] arguments) {
        Plan plan;
        try {
            plan = Plan.parse(arguments);
        } catch (IllegalArgumentException wrong) {
            System.err.println("throw-everywhere: " + wrong.getMessage());
            System.exit(2);
            return;
        }
        ThrowEverywhere everywhere = new ThrowEverywhere(plan);
        ChunkOperations.tryCanary(everywhere);
        ChunkOperations.tryAll(everywhere);
        ChunkRecoveryOperations.tryAll(everywhere);
        PageSpaceOperations.tryAll(everywhere);
        BackgroundOperations.tryAll(everywhere);
        PoolOperations.tryAll(everywhere);
        PoolOperations.tryWatched(everywhere);
        everywhere.useVirtualThreads();
        PoolOperations.tryAll(everywhere);
        System.exit(everywhere.report() ? 0 : 1);
    }
}
