package io.polder.page.space;

import io.polder.memory.MemoryExhaustedException;
import io.polder.stress.everywhere.Plan;
import io.polder.stress.everywhere.ThrowEverywhere;

/** The operations of a page space, each tried by itself; part of {@code throw-everywhere}. */
public final class PageSpaceOperations {
    private PageSpaceOperations() {}

    /** Tries those that the arguments name; exit code 1 if something is wrong. */
    public static void main(String[] arguments) {
        ThrowEverywhere everywhere = new ThrowEverywhere(Plan.parse(arguments));
        tryAll(everywhere);
        System.exit(everywhere.report() ? 0 : 1);
    }

    /** Tries all of them. */
    public static void tryAll(ThrowEverywhere everywhere) {
        everywhere.check("space.take-first", TakeFirst::new);
        everywhere.check("space.take-warm", TakeWarm::new);
        everywhere.check("space.take-zero", TakeZero::new);
        everywhere.check("space.take-assembled", TakeAssembled::new);
        everywhere.check("space.take-fresh", TakeFresh::new);
        everywhere.check("space.take-far", TakeFar::new);
        everywhere.check("space.take-far-and-grow", TakeFarAndGrow::new);
        everywhere.check("space.take-range", TakeRange::new);
        everywhere.check("space.take-refused", TakeRefused::new);
        everywhere.check("space.take-in-line", TakeInLine::new);
        everywhere.check("space.give", Give::new);
        everywhere.check("space.give-large", GiveLarge::new);
        everywhere.check("space.expect", Expect::new);
        everywhere.check("space.statistics", Statistics::new);
        everywhere.check("space.tick", Tick::new);
        everywhere.check("space.clean", Clean::new);
        everywhere.check("space.decay", Slices::new);
        everywhere.check("space.renew", Renew::new);
        everywhere.check("space.trim", Trim::new);
        everywhere.check("space.trim-moved", TrimMoved::new);
        everywhere.check("space.room", MakeRoom::new);
        everywhere.check("space.close", Close::new);
    }

    /** Reserves. */
    private static final class TakeFirst extends PageSpaceScenario {
        @Override
        public void operate() {
            own.add(space.take(3 * GRANULE, true));
        }
    }

    /** Splits what is free. */
    private static final class TakeWarm extends PageSpaceScenario {
        TakeWarm() {
            scatter(6);
        }

        @Override
        public void operate() {
            own.add(space.take(GRANULE, false));
        }
    }

    /** Cleans. */
    private static final class TakeZero extends PageSpaceScenario {
        TakeZero() {
            scatter(6);
        }

        @Override
        public void operate() {
            own.add(space.take(GRANULE, true));
        }
    }

    /** Moves what is scattered. */
    private static final class TakeAssembled extends PageSpaceScenario {
        TakeAssembled() {
            scatter(LIMIT);
        }

        @Override
        public void operate() {
            own.add(space.take(4 * GRANULE, true));
        }
    }

    /** Moves what is scattered, and takes the rest from the limit. */
    private static final class TakeFresh extends PageSpaceScenario {
        TakeFresh() {
            scatter(LIMIT - 4);
        }

        @Override
        public void operate() {
            own.add(space.take(8 * GRANULE, true));
        }
    }

    /** Reserves more than the page needs. */
    private static final class TakeFar extends PageSpaceScenario {
        @Override
        public void operate() {
            own.add(space.takeToGrow(3 * GRANULE, true, true));
        }
    }

    /** Finds memory without room behind it, and takes what has room. */
    private static final class TakeFarAndGrow extends PageSpaceScenario {
        TakeFarAndGrow() {
            scatter(LIMIT - 4);
        }

        @Override
        public void operate() {
            Extent page = space.takeToGrow(GRANULE, false, true);
            own.add(page);
            boolean _ = space.extend(page, 3 * GRANULE);
        }
    }

    /** Takes what is contiguous. */
    private static final class TakeRange extends PageSpaceScenario {
        TakeRange() {
            scatter(LIMIT);
        }

        @Override
        public void operate() {
            own.add(space.take(GRANULE, 8 * GRANULE, false));
        }
    }

    /** Does not get it. */
    private static final class TakeRefused extends PageSpaceScenario {
        TakeRefused() {
            scatter(LIMIT);
        }

        @Override
        public void operate() {
            try {
                own.add(space.take(12 * GRANULE, true));
            } catch (MemoryExhaustedException expected) {
                return;
            }
        }
    }

    /** Waits in the queue for nothing, and then for something. */
    private static final class TakeInLine extends PageSpaceScenario {
        TakeInLine() {
            scatter(LIMIT);
        }

        @Override
        public void operate() throws InterruptedException {
            try {
                own.add(space.takeOrWait(12 * GRANULE, true, new Deadline(1000, () -> false)));
            } catch (MemoryExhaustedException expected) {
                own.add(space.takeOrWait(4 * GRANULE, true, new Deadline(1000, () -> false)));
            }
        }
    }

    /** Coalesces; an operation that could not give tries again. */
    private static final class Give extends PageSpaceScenario {
        private final Extent page;

        Give() {
            scatter(6);
            page = space.take(GRANULE, false);
            own.add(page);
        }

        @Override
        public void operate() {
            space.give(page, GRANULE);
            own.clear();
        }
    }

    /** The same of one that was assembled. */
    private static final class GiveLarge extends PageSpaceScenario {
        private final Extent page;

        GiveLarge() {
            scatter(LIMIT);
            page = space.take(4 * GRANULE, false);
            own.add(page);
        }

        @Override
        public void operate() {
            space.give(page, 2 * GRANULE);
            own.clear();
        }
    }

    /** Announces. */
    private static final class Expect extends PageSpaceScenario {
        Expect() {
            scatter(LIMIT);
        }

        @Override
        public void operate() {
            space.prefetch(4 * GRANULE, 1);
        }
    }

    /** Looks. */
    private static final class Statistics extends PageSpaceScenario {
        Statistics() {
            scatter(LIMIT);
        }

        @Override
        public void operate() {
            long[] used = new long[1];
            space.map((_, _, usedBytes) -> used[0] += usedBytes);
            if (space.statistics().takenPages() < 1 || used[0] == 0) {
                throw new AssertionError("bystanders have pages");
            }
        }
    }

    /** Assembles ahead. */
    private static final class Tick extends PageSpaceScenario {
        Tick() {
            scatter(LIMIT);
            space.prefetch(4 * GRANULE, 1);
        }

        @Override
        public void operate() {
            boolean _ = defragmenter.tick();
        }
    }

    /** Cleans ahead. */
    private static final class Clean extends PageSpaceScenario {
        Clean() {
            scatter(LIMIT);
            Extent page = space.take(GRANULE, true);
            space.give(page, GRANULE);
        }

        @Override
        public void operate() {
            boolean _ = defragmenter.tick();
        }
    }

    /** Uncommits what is not needed. */
    private static final class Slices extends PageSpaceScenario {
        Slices() {
            scatter(LIMIT);
        }

        @Override
        public void operate() {
            for (int i = 0; i < 2 * Decay.SLICES; i++) {
                boolean _ = decay.slice();
            }
        }
    }

    /** Wins mappings back. */
    private static final class Renew extends PageSpaceScenario {
        Renew() {
            scatter(LIMIT);
            Extent page = space.take(4 * GRANULE, false);
            own.add(space.take(3 * GRANULE, false));
            space.give(page, 0);
            long _ = space.trim();
        }

        @Override
        public void operate() {
            uncommitter.renewCold();
        }
    }

    /** Uncommits what is free. */
    private static final class Trim extends PageSpaceScenario {
        Trim() {
            scatter(LIMIT);
        }

        @Override
        public void operate() {
            long _ = space.trim();
        }
    }

    /** Renews what is free, and releases what is free as a whole. */
    private static final class TrimMoved extends PageSpaceScenario {
        TrimMoved() {
            scatter(LIMIT);
            Extent page = space.take(4 * GRANULE, false);
            space.give(page, 0);
        }

        @Override
        public void operate() {
            long _ = space.trim();
        }
    }

    /** Makes room for others. */
    private static final class MakeRoom extends PageSpaceScenario {
        MakeRoom() {
            scatter(LIMIT);
        }

        @Override
        public void operate() {
            boolean _ = budget.committed.makeRoom(4 * GRANULE);
            boolean _ = budget.reserved.makeRoom(16 * LIMIT * GRANULE);
        }
    }

    /** Releases everything; may be tried again. */
    private static final class Close extends PageSpaceScenario {
        Close() {
            own.add(space.take(GRANULE, false));
            Extent page = space.take(4 * GRANULE, false);
            space.give(page, 0);
        }

        @Override
        public void operate() {
            try {
                space.close();
            } catch (IllegalStateException taken) {
                space.trim();
            }
        }
    }
}
