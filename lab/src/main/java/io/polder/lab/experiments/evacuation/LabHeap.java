package io.polder.lab.experiments.evacuation;

import io.polder.background.Background;
import io.polder.heap.HeapStatistics;
import io.polder.heap.RelocatingHeap;
import io.polder.heap.space.HeapCheck;
import io.polder.heap.space.HeapSettings;
import io.polder.heap.space.HeapSpace;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import java.time.Duration;

/** A heap with settings that no user can choose, on pages of its own. */
final class LabHeap implements AutoCloseable {
    /** How long free memory stays committed: what a pool does by itself. */
    private static final Duration DECAY = Duration.ofSeconds(1);

    private final PageSpace pages;
    private final HeapSpace space;

    /** An empty heap. */
    LabHeap(HeapSettings settings) {
        pages =
                new PageSpace(
                        Providers.choose().provider(),
                        new MemoryBudget(
                                new MemoryLimits(
                                        MemoryLimits.ADDRESS_SPACE_BYTES,
                                        MemoryLimits.ADDRESS_SPACE_BYTES),
                                ""),
                        new Background("polder-lab-pages"),
                        new PageSettings(DECAY.toNanos(), true, false),
                        Exhaustion.IGNORED,
                        null);
        space = new HeapSpace(pages, settings, Exhaustion.IGNORED);
    }

    /** What users see of it. */
    RelocatingHeap heap() {
        return space;
    }

    HeapStatistics stats() {
        return space.stats();
    }

    /** What is counted beyond that. */
    HeapCheck.Counts counts() {
        return HeapCheck.counts(space);
    }

    /** Checks all that holds while nobody uses the heap. */
    void verifyAtRest() {
        HeapCheck.verifyAtRest(space);
    }

    @Override
    public void close() {
        space.close();
        pages.shut();
        pages.close();
    }
}
