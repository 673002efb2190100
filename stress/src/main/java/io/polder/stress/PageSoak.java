package io.polder.stress;

import io.polder.background.Background;
import io.polder.memory.Exhaustion;
import io.polder.memory.MemoryBudget;
import io.polder.memory.MemoryLimits;
import io.polder.memory.Providers;
import io.polder.memory.Zeroing;
import io.polder.page.space.Deadline;
import io.polder.page.space.Extent;
import io.polder.page.space.PageCheck;
import io.polder.page.space.PageFigures;
import io.polder.page.space.PageSettings;
import io.polder.page.space.PageSpace;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Four threads that take and give pages of any size, with defragmenter and decay at work: no
 * request may be refused while enough is free, however scattered, no byte may be lost, and in the
 * end nothing is left.
 *
 * <p>Before a thread takes a page it draws on a number of granules that all share, as many as the
 * limit has; so each request fits. Exit code 0 if all is well, 1 if not, 2 for arguments that are
 * none.
 */
public final class PageSoak {
    private static final int THREADS = 4;
    private static final long GRANULE = PageSpace.GRANULE_BYTES;
    private static final int GRANULES = 128;
    private static final int COUNT_MAX = 24;
    private static final int PLACES = 4;
    private static final long DECAY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONG = TimeUnit.HOURS.toNanos(1);

    private final MemoryBudget budget =
            new MemoryBudget(
                    new MemoryLimits(GRANULES * GRANULE, MemoryLimits.ADDRESS_SPACE_BYTES), "");
    private final PageSpace space =
            new PageSpace(
                    Providers.choose().provider(),
                    budget,
                    new Background("pages"),
                    new PageSettings(DECAY_NANOS, true, false),
                    Exhaustion.IGNORED,
                    null);
    private final AtomicInteger left = new AtomicInteger(GRANULES);
    private final LongAdder takes = new LongAdder();
    private final LongAdder inLine = new LongAdder();
    private final LongAdder zeros = new LongAdder();
    private final int leakEvery;

    private PageSoak(int leakEvery) {
        this.leakEvery = leakEvery;
    }

    /**
     * Runs the soak.
     *
     * @param arguments any of {@code --count N}, how many operations each thread does, and {@code
     *     --leak-every N}: one page in this many is never given, to show that a leak is found
     */
    public static void main(String[] arguments) throws InterruptedException {
        SoakArguments given = SoakArguments.of("PageSoak", 100_000, arguments);
        System.exit(new PageSoak(given.leakEvery()).soak(given.count()) ? 0 : 1);
    }

    private boolean soak(int count) throws InterruptedException {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        List<Thread> threads = SoakThreads.start(THREADS, random, own -> run(own, count));
        for (Thread thread : threads) {
            while (!thread.join(Duration.ofMillis(10))) {
                PageCheck.verify(space);
            }
        }
        PageFigures busy = space.statistics();
        space.trim();
        PageCheck.verify(space);
        PageFigures end = space.statistics();
        boolean varied =
                inLine.sum() > 0
                        && zeros.sum() > 0
                        && busy.assembledOnAllocation() + busy.assembledInBackground() > 0;
        boolean empty = end.reservedBytes() == 0 && budget.committed.bytes() == 0;
        boolean ok = varied && empty && left.get() == GRANULES && space.refusals() == 0;
        System.out.printf(
                "%s: seed %d; %,d pages, %,d in line, %,d of zeros; assembled %,d while taken,"
                        + " %,d ahead; %,d MiB moved, %,d committed; left %,d bytes%n",
                ok ? "ok" : "FAILED",
                seed,
                takes.sum(),
                inLine.sum(),
                zeros.sum(),
                busy.assembledOnAllocation(),
                busy.assembledInBackground(),
                busy.movedBytes() >> 20,
                busy.committedTotalBytes() >> 20,
                end.reservedBytes());
        return ok;
    }

    private void run(SplittableRandom random, int count) {
        List<Extent> pages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int dice = random.nextInt(1000);
            if (dice == 0) {
                space.trim();
            } else if (dice < 20) {
                space.prefetch(GRANULE * (1 + random.nextInt(COUNT_MAX)), random.nextInt(4));
            } else if (dice < 520) {
                take(random, pages);
            } else if (!pages.isEmpty()) {
                give(pages.remove(random.nextInt(pages.size())));
            }
        }
        pages.forEach(this::give);
    }

    private void take(SplittableRandom random, List<Extent> pages) {
        int count = random.nextBoolean() ? 1 : 1 + random.nextInt(COUNT_MAX);
        if (!draw(count)) {
            return;
        }
        boolean zero = random.nextInt(8) == 0;
        Extent page;
        if (random.nextInt(4) == 0) {
            inLine.increment();
            page = takeOrWait(count, zero);
        } else {
            page = space.take(count * GRANULE, zero);
        }
        takes.increment();
        if (zero) {
            zeros.increment();
            check(page, 0);
        }
        for (long at = page.address(); at < page.address() + page.bytes(); at += step()) {
            Zeroing.ADDRESS_SPACE.set(Zeroing.WORD, at, word(page, at));
        }
        pages.add(page);
    }

    private Extent takeOrWait(int count, boolean zero) {
        try {
            return space.takeOrWait(count * GRANULE, zero, new Deadline(LONG, () -> false));
        } catch (InterruptedException never) {
            throw new AssertionError("nobody interrupts this thread", never);
        }
    }

    private boolean draw(int count) {
        int now = left.get();
        while (now >= count) {
            int witness = left.compareAndExchange(now, now - count);
            if (witness == now) {
                return true;
            }
            now = witness;
        }
        return false;
    }

    private void give(Extent page) {
        check(page, -1);
        if (leakEvery > 0 && takes.sum() % leakEvery == 0) {
            return;
        }
        int count = (int) (page.bytes() / GRANULE);
        space.give(page, page.bytes());
        left.addAndGet(count);
    }

    /** Checks for what was written under a mask of ones, for zero under zero. */
    private static void check(Extent page, long mask) {
        for (long at = page.address(); at < page.address() + page.bytes(); at += step()) {
            long found = Zeroing.ADDRESS_SPACE.get(Zeroing.WORD, at);
            if (found != (word(page, at) & mask)) {
                throw new AssertionError(
                        "what was written stays: at=" + at + ", found=" + found + ", in " + page);
            }
        }
    }

    private static long step() {
        return GRANULE / PLACES;
    }

    private static long word(Extent page, long at) {
        return at ^ ((long) System.identityHashCode(page) << 32);
    }
}
