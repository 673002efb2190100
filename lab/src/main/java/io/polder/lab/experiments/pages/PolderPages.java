package io.polder.lab.experiments.pages;

import io.polder.background.Background;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryExhaustedException;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.page.PageStatistics;
import io.polder.page.space.Extent;
import io.polder.page.space.PageCheck;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/** The library's own pages, on any provider. */
final class PolderPages implements PageSource {
    /** How long free memory stays committed: what a pool does by itself. */
    private static final Duration DECAY = Duration.ofSeconds(1);

    private final PageSpace space;
    private final Runnable afterwards;

    /**
     * @param defragmenting whether runs are assembled ahead
     * @param afterwards done when the space is closed
     */
    PolderPages(
            MemoryProvider provider, long bytesMax, boolean defragmenting, Runnable afterwards) {
        MemoryLimits limits = new MemoryLimits(bytesMax, MemoryLimits.ADDRESS_SPACE_BYTES);
        this.space =
                new PageSpace(
                        provider,
                        new MemoryBudget(limits, ""),
                        new Background("polder-lab-pages"),
                        new PageSettings(DECAY.toNanos(), defragmenting, false),
                        Exhaustion.IGNORED,
                        null);
        this.afterwards = afterwards;
    }

    @Override
    public @Nullable Taken take(long leastBytes, long mostBytes) {
        Extent extent;
        try {
            extent =
                    leastBytes == mostBytes
                            ? space.take(mostBytes, false)
                            : space.take(leastBytes, mostBytes, false);
        } catch (MemoryExhaustedException _) {
            return null;
        }
        return new Taken(extent.address(), extent.bytes(), extent);
    }

    @Override
    public void give(Taken page, long dirtyBytes) {
        space.give((Extent) page.page(), dirtyBytes);
    }

    @Override
    public void expect(long bytes, int count) {
        space.prefetch(bytes, count);
    }

    @Override
    public Holdings holdings() {
        PageStatistics statistics = space.statistics();
        long ready =
                statistics.freeRuns().stream()
                        .filter(runs -> runs.sizeBytes() >= ObjectKind.MEDIUM.pageBytesMax())
                        .mapToLong(PageStatistics.SizeClass::bytes)
                        .sum();
        return new Holdings(
                statistics.committedBytes(),
                statistics.committedBytes() - statistics.takenBytes(),
                ready,
                statistics.assembledOnAllocation(),
                statistics.assembledInBackground(),
                statistics.movedBytes());
    }

    @Override
    public void verify() {
        PageCheck.verify(space);
    }

    @Override
    public void close() {
        space.shut();
        space.close();
        afterwards.run();
    }
}
