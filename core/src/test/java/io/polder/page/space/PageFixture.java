package io.polder.page.space;

import io.polder.background.Background;
import io.polder.memory.Exhaustion;
import io.polder.memory.FailingMemoryProvider;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;
import io.polder.memory.Zeroing;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Makes spaces; after each test checks them, closes them and looks for leaks. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class PageFixture {
    static final long MIB = 1 << 20;

    final FailingMemoryProvider provider = new FailingMemoryProvider(real());
    final Background background = new Background("test-pages");
    private final List<PageSpace> spaces = new ArrayList<>();
    private final List<MemoryBudget> budgets = new ArrayList<>();

    /** What spaces are made on. */
    MemoryProvider real() {
        return Providers.choose().provider();
    }

    /** A space without defragmenter and, for the time of a test, without decay. */
    PageSpace space(long committedMaxBytes) {
        return space(
                new MemoryLimits(committedMaxBytes, MemoryLimits.ADDRESS_SPACE_BYTES),
                new PageSettings(TimeUnit.DAYS.toNanos(1), false, false));
    }

    PageSpace space(MemoryLimits limits, PageSettings settings) {
        MemoryBudget budget = new MemoryBudget(limits, "");
        PageSpace space =
                new PageSpace(provider, budget, background, settings, Exhaustion.IGNORED, null);
        spaces.add(space);
        budgets.add(budget);
        return space;
    }

    static Extent small(PageSpace space) {
        return space.take(1, false);
    }

    /** Takes small pages until the limit is in the way. */
    static List<Extent> fill(PageSpace space) {
        List<Extent> pages = new ArrayList<>();
        long limit = space.state.budget.limits.committedMaxBytes();
        for (long bytes = 0; bytes < limit; bytes += PageSpace.GRANULE_BYTES) {
            pages.add(small(space));
        }
        return pages;
    }

    /** Gives half of the pages back, so that what is free is scattered; returns the others. */
    static List<Extent> giveEverySecond(PageSpace space, List<Extent> pages) {
        List<Extent> kept = new ArrayList<>();
        for (int i = 0; i < pages.size(); i++) {
            if (i % 2 == 0) {
                space.give(pages.get(i), 0);
            } else {
                kept.add(pages.get(i));
            }
        }
        return kept;
    }

    static void give(Extent... pages) {
        give(List.of(pages));
    }

    /** Gives pages back to where they came from, fully dirty. */
    static void give(List<Extent> pages) {
        for (Extent page : pages) {
            PageState owner = page.reservation().owner;
            synchronized (owner) {
                owner.recoverIfNeededLocked();
                owner.giveLocked(page, page.bytes());
            }
        }
    }

    /** Writes to both ends of each granule what only that page has. */
    static void paint(List<Extent> pages) {
        for (Extent page : pages) {
            for (long at : ends(page)) {
                Zeroing.ADDRESS_SPACE.set(Zeroing.WORD, at, at);
            }
        }
    }

    static void checkPaint(List<Extent> pages) {
        for (Extent page : pages) {
            for (long at : ends(page)) {
                long found = Zeroing.ADDRESS_SPACE.get(Zeroing.WORD, at);
                if (found != at) {
                    throw new AssertionError(
                            "what was written stays: at=" + at + ", found=" + found);
                }
            }
        }
    }

    private static long[] ends(Extent page) {
        long[] ends = new long[2 * page.count];
        for (int i = 0; i < page.count; i++) {
            ends[2 * i] = page.address() + Granules.bytes(i);
            ends[2 * i + 1] = page.address() + Granules.bytes(i + 1) - Long.BYTES;
        }
        return ends;
    }

    /** Whether there is free memory that could be given back. */
    static boolean hasWaste(PageSpace space) {
        synchronized (space.state) {
            space.state.recoverIfNeededLocked();
            return space.state.hasWasteLocked();
        }
    }

    static long firstByteThatIsNotZero(Extent page) {
        MemorySegment bytes = Zeroing.ADDRESS_SPACE.asSlice(page.address(), page.bytes());
        MemorySegment zeros = MemorySegment.ofArray(new long[512]);
        for (long at = 0; at < bytes.byteSize(); at += zeros.byteSize()) {
            long mismatch = bytes.asSlice(at, zeros.byteSize()).mismatch(zeros);
            if (mismatch >= 0) {
                return at + mismatch;
            }
        }
        return -1;
    }

    @AfterEach
    void nothingIsLeft() {
        provider.heal();
        for (PageSpace space : spaces) {
            PageCheck.verifyAtRest(space);
            space.close();
        }
        for (MemoryBudget budget : budgets) {
            if (budget.committed.bytes() != 0 || budget.reserved.bytes() != 0) {
                throw new AssertionError(
                        "a closed space holds nothing of its budget: committedBytes="
                                + budget.committed.bytes()
                                + ", reservedBytes="
                                + budget.reserved.bytes());
            }
        }
        if (provider.reservedBytes() != 0) {
            throw new AssertionError(
                    "everything is released: reservedBytes=" + provider.reservedBytes());
        }
    }
}
