package io.polder.bench;

import io.polder.background.Background;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.page.space.Extent;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What does it cost to take a page and to give it back, with a warm cache?
 *
 * <p>Nothing is written to the page. {@code alone} splits the only run and coalesces it again each
 * time; {@code crowded} does so among two thousand pages of which every second is free.
 *
 * <p>Run: {@code bench/run PageTurnover}
 */
public class PageTurnover extends MemoryBenchmark {
    private static final long MIB = 1 << 20;
    private static final int CROWD = 2000;

    /** The size of the page, in MiB. */
    @Param({"2", "32"})
    public long mib;

    private final PageSpace empty = newSpace();
    private final PageSpace crowded = newSpace();
    private final List<Extent> neighbours = new ArrayList<>();

    /** Creates the state of one benchmark thread. */
    public PageTurnover() {}

    private static PageSpace newSpace() {
        return new PageSpace(
                Providers.choose().provider(),
                new MemoryBudget(MemoryLimits.NONE, ""),
                new Background("bench"),
                new PageSettings(TimeUnit.DAYS.toNanos(1), true, false),
                Exhaustion.IGNORED,
                null);
    }

    /** Takes the neighbours, and makes memory warm that is never touched. */
    @Setup
    public void prepare() {
        empty.give(empty.take(mib * MIB, false), 0);
        List<Extent> pages = new ArrayList<>();
        for (int i = 0; i < CROWD; i++) {
            pages.add(crowded.take(mib * MIB, false));
        }
        for (int i = 0; i < CROWD; i++) {
            if (i % 2 == 0) {
                crowded.give(pages.get(i), 0);
            } else {
                neighbours.add(pages.get(i));
            }
        }
    }

    /** Gives all memory back. */
    @TearDown
    public void close() {
        neighbours.forEach(page -> crowded.give(page, 0));
        crowded.close();
        empty.close();
    }

    /** From the only run. */
    @Benchmark
    public Extent alone() {
        Extent page = empty.take(mib * MIB, false);
        empty.give(page, 0);
        return page;
    }

    /** The same, given back dirty. */
    @Benchmark
    public Extent dirty() {
        Extent page = empty.take(mib * MIB, false);
        empty.give(page, mib * MIB);
        return page;
    }

    /** Between two pages that are taken. */
    @Benchmark
    public Extent crowded() {
        Extent page = crowded.take(mib * MIB, false);
        crowded.give(page, 0);
        return page;
    }
}
