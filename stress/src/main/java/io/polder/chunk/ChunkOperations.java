package io.polder.chunk;

import io.polder.chunk.canary.ForgetfulOwner;
import io.polder.stress.everywhere.Plan;
import io.polder.stress.everywhere.ThrowEverywhere;

/** The operations of a chunk space, each tried by itself; part of {@code throw-everywhere}. */
public final class ChunkOperations {
    private ChunkOperations() {}

    /** Tries those that the arguments name; exit code 1 if something is wrong. */
    public static void main(String[] arguments) {
        ThrowEverywhere everywhere = new ThrowEverywhere(Plan.parse(arguments));
        tryAll(everywhere);
        System.exit(everywhere.report() ? 0 : 1);
    }

    /** Tries all of them. */
    public static void tryAll(ThrowEverywhere everywhere) {
        everywhere.check("chunk.take-small", TakeSmall::new);
        everywhere.check("chunk.take-root", TakeRoot::new);
        everywhere.check("chunk.commit", Commit::new);
        everywhere.check("chunk.give", Give::new);
        everywhere.check("chunk.enlarge", Enlarge::new);
        everywhere.check("chunk.trim", Trim::new);
        everywhere.check("chunk.decay", Decay::new);
        everywhere.check("chunk.close", Close::new);
    }

    /** Tries an owner that loses a chunk, which must be caught. */
    public static void tryCanary(ThrowEverywhere everywhere) {
        everywhere.expectCaught(Canary::new);
    }

    private static final class Canary extends ChunkScenario {
        private final ForgetfulOwner owner = new ForgetfulOwner(space);

        @Override
        public void operate() {
            owner.take(ChunkLevel.fitting(64 * KIB));
            owner.give();
        }
    }

    /** Splits what is free. */
    private static final class TakeSmall extends ChunkScenario {
        @Override
        public void operate() {
            own.add(space.take(ChunkLevel.fitting(2 * KIB), ChunkLevel.SMALLEST));
        }
    }

    /** Reserves more. */
    private static final class TakeRoot extends ChunkScenario {
        @Override
        public void operate() {
            own.add(space.take(ChunkLevel.ROOT, ChunkLevel.ROOT));
        }
    }

    /** Commits a part of a chunk of which nothing is committed. */
    private static final class Commit extends ChunkScenario {
        private final long chunk = space.take(ChunkLevel.ROOT + 1, ChunkLevel.ROOT + 1);

        Commit() {
            own.add(chunk);
        }

        @Override
        public void operate() {
            space.commit(chunk, 0, 256 * KIB);
        }
    }

    /** Merges with what is free; an operation that could not give tries again. */
    private static final class Give extends ChunkScenario {
        private final long chunk = taken(32 * KIB);

        Give() {
            own.add(chunk);
        }

        @Override
        public void operate() {
            space.give(chunk, 32 * KIB);
            own.clear();
        }
    }

    /** Doubles a chunk in place. */
    private static final class Enlarge extends ChunkScenario {
        Enlarge() {
            own.add(taken(64 * KIB));
        }

        @Override
        public void operate() {
            long enlarged = space.enlarge(own.getFirst()) & Chunk.MASK;
            if (enlarged != Chunk.NONE) {
                own.set(0, enlarged);
            }
        }
    }

    /** Uncommits what is free. */
    private static final class Trim extends ChunkScenario {
        @Override
        public void operate() {
            space.trim();
        }
    }

    /** Uncommits what was free for long. */
    private static final class Decay extends ChunkScenario {
        Decay() {
            space.decay();
        }

        @Override
        public void operate() {
            space.decay();
        }
    }

    /** Is refused, since chunks are out; then trims what can be released. */
    private static final class Close extends ChunkScenario {
        Close() {
            space.give(taken(ROOT), ROOT);
        }

        @Override
        public void operate() {
            space.trim();
        }
    }
}
