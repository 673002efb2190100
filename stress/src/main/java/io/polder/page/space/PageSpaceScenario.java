package io.polder.page.space;

import io.polder.background.Background;
import io.polder.background.QuietBackground;
import io.polder.memory.Exhaustion;
import io.polder.memory.FreshProvider;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.stress.everywhere.FailingProvider;
import io.polder.stress.everywhere.Paint;
import io.polder.stress.everywhere.Require;
import io.polder.stress.everywhere.Scenario;
import io.polder.stress.everywhere.Throwing;

import org.jspecify.annotations.Nullable;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A page space of its own, with bystanders: pages that were taken and painted before, between free
 * ones. What an operation has is in {@link #own}: the pages that it was given, and must give.
 */
abstract class PageSpaceScenario implements Scenario {
    static final long GRANULE = PageSpace.GRANULE_BYTES;

    /** How many granules may be committed. */
    static final int LIMIT = 16;

    final FailingProvider provider = new FailingProvider(FreshProvider.create());
    final MemoryBudget budget =
            new MemoryBudget(new MemoryLimits(LIMIT * GRANULE, 16 * LIMIT * GRANULE), "");
    final Background background = QuietBackground.create();
    final PageSpace space =
            new PageSpace(
                    provider,
                    budget,
                    background,
                    new PageSettings(1_000_000, true, false),
                    Exhaustion.IGNORED,
                    null);
    final Defragmenter defragmenter;
    final Decay decay;
    final PageUncommitter uncommitter;

    /** What the operation owns now; room for more is there. */
    final List<Extent> own = new ArrayList<>(64);

    private final List<Extent> bystanders = new ArrayList<>();

    PageSpaceScenario() {
        PageState state = space.state;
        uncommitter = new PageUncommitter(state);
        defragmenter =
                new Defragmenter(state, new Assembler(state), uncommitter, new Cleaner(state));
        decay = new Decay(state, uncommitter);
    }

    /** Takes and paints pages of a granule, and gives those between them back, dirty. */
    final void scatter(int granules) {
        List<Extent> between = new ArrayList<>();
        for (int i = 0; i < granules; i++) {
            Extent page = space.take(GRANULE, true);
            Paint.paint(ends(page.address()), page.address());
            (i % 2 == 0 ? bystanders : between).add(page);
        }
        between.forEach(page -> space.give(page, GRANULE));
    }

    private static MemorySegment ends(long address) {
        return Paint.at(address, 4096);
    }

    @Override
    public final void check(@Nullable Throwable thrown) {
        PageCheck.verifyAtRest(space);
        requireBystanders();
        own.forEach(page -> space.give(page, page.bytes()));
        own.clear();
        int[] counts = isOpen() ? new int[] {1, 3} : new int[0];
        for (int count : counts) {
            Extent page = space.take(count * GRANULE, true);
            Paint.requireZero(Paint.at(page.address(), page.bytes()));
            Paint.paint(ends(page.address()), -page.address());
            own.add(page);
            PageCheck.verifyAtRest(space);
        }
        requireBystanders();
        own.forEach(page -> space.give(page, page.bytes()));
        bystanders.forEach(page -> space.give(page, page.bytes()));
        PageCheck.verifyAtRest(space);
        long _ = space.trim();
        PageCheck.verifyAtRest(space);
        if (!Throwing.hasThrown()) {
            requireNothingUsed();
        }
        space.close(); // what the space itself had in hand does not keep it
        requireNothingUsed();
        Require.equal("reserved", space.statistics().reservedBytes(), 0);
        Require.equal("reserved, charged", budget.reserved.bytes(), 0);
        Require.equal("reserved by the system", provider.reservedBytes(), 0);
    }

    private void requireNothingUsed() {
        Require.equal("taken", space.statistics().takenBytes(), 0);
        Require.equal("committed", space.statistics().committedBytes(), 0);
        Require.equal("charged", budget.committed.bytes(), 0);
    }

    private boolean isOpen() {
        synchronized (space.state) {
            return !space.state.shut;
        }
    }

    private void requireBystanders() {
        for (Extent page : bystanders) {
            Paint.requirePainted(ends(page.address()), page.address());
        }
    }

    @Override
    public void abandon() {
        provider.abandon();
    }
}
