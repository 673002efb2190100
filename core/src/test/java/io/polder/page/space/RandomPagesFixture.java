package io.polder.page.space;

import io.polder.arena.Seed;
import io.polder.memory.MemoryLimits;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** Runs random operations on a space; a failure names the seed. */
abstract class RandomPagesFixture extends PageFixture {
    /** Of 32 granules, which are soon full. */
    static final long LIMIT = 64 * MIB;

    private static final int OPERATIONS = 1000;

    /**
     * What was done.
     *
     * @param pages who did it
     * @param end what the space was at the end, with nothing in it any more
     * @param refusals how many calls were refused
     */
    record Outcome(RandomPages pages, PageFigures end, long refusals) {}

    Outcome run(long reservedMaxBytes, boolean failing) {
        long seed = Seed.get();
        MemoryLimits limits = new MemoryLimits(LIMIT, reservedMaxBytes);
        PageSpace space = space(limits, new PageSettings(TimeUnit.DAYS.toNanos(1), false, false));
        RandomPages pages = new RandomPages(space, provider, new SplittableRandom(seed), failing);
        Seed.naming(seed, () -> pages.run(OPERATIONS));
        return new Outcome(pages, space.statistics(), space.refusals());
    }
}
