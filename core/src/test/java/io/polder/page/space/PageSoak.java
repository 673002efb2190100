package io.polder.page.space;

import io.polder.memory.Zeroing;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Takes and gives pages of any size, one of several threads. Before it takes, it draws on a number
 * of granules that all threads share, as many as the limit has: so no request may be refused.
 */
final class PageSoak {
    /** What was done. */
    enum Operation {
        TAKE,
        TAKE_RANGE,
        TAKE_IN_LINE,
        TAKE_ZERO,
        GIVE,
        TRIM,
        EXPECT
    }

    private static final int COUNT_MAX = 16;
    private static final int PLACES = 4;
    private static final long LONG = TimeUnit.HOURS.toNanos(1);

    private final PageSpace space;
    private final AtomicInteger granulesLeft;
    private final ConcurrentMap<Operation, Integer> mix;
    private final SplittableRandom random;
    private final List<Extent> pages = new ArrayList<>();

    PageSoak(
            PageSpace space,
            AtomicInteger granulesLeft,
            ConcurrentMap<Operation, Integer> mix,
            SplittableRandom random) {
        this.space = space;
        this.granulesLeft = granulesLeft;
        this.mix = mix;
        this.random = random;
    }

    void run(int operations) throws InterruptedException {
        for (int i = 0; i < operations; i++) {
            int dice = random.nextInt(200);
            if (dice == 0) {
                did(Operation.TRIM);
                space.trim();
            } else if (dice < 4) {
                did(Operation.EXPECT);
                space.prefetch(Granules.bytes(1 + random.nextInt(COUNT_MAX)), random.nextInt(4));
            } else if (dice < 100) {
                take();
            } else if (!pages.isEmpty()) {
                give(random.nextInt(pages.size()));
            }
        }
        while (!pages.isEmpty()) {
            give(0);
        }
    }

    private void did(Operation operation) {
        mix.merge(operation, 1, Integer::sum);
    }

    private void take() throws InterruptedException {
        int count = random.nextBoolean() ? 1 : 1 + random.nextInt(COUNT_MAX);
        if (!draw(count)) {
            return;
        }
        boolean zero = random.nextInt(8) == 0;
        Extent page;
        if (Integer.bitCount(count) == 1 && random.nextBoolean()) {
            did(Operation.TAKE_RANGE);
            page = space.take(PageSpace.GRANULE_BYTES, Granules.bytes(count), zero);
            granulesLeft.addAndGet(count - page.count);
        } else if (random.nextInt(4) == 0) {
            did(Operation.TAKE_IN_LINE);
            page = space.takeOrWait(Granules.bytes(count), zero, new Deadline(LONG, () -> false));
        } else {
            did(Operation.TAKE);
            page = space.take(Granules.bytes(count), zero);
        }
        if (zero) {
            did(Operation.TAKE_ZERO);
            check(page, 0);
        }
        paint(page);
        pages.add(page);
    }

    private boolean draw(int count) {
        int left = granulesLeft.get();
        while (left >= count) {
            int witness = granulesLeft.compareAndExchange(left, left - count);
            if (witness == left) {
                return true;
            }
            left = witness;
        }
        return false;
    }

    private void give(int index) {
        did(Operation.GIVE);
        Extent page = pages.remove(index);
        check(page, -1);
        int count = page.count;
        space.give(page, page.bytes());
        granulesLeft.addAndGet(count);
    }

    /** Writes to some places of each granule what no other has; the same ones each time. */
    private static void paint(Extent page) {
        for (long at = page.address(); at < page.address() + page.bytes(); at += step()) {
            Zeroing.ADDRESS_SPACE.set(Zeroing.WORD, at, word(page, at));
        }
    }

    /** Checks these places: for what was written under a mask of ones, for zero under zero. */
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
        return PageSpace.GRANULE_BYTES / PLACES;
    }

    /** Of this page alone while it is taken, and of no page that was there before, most likely. */
    private static long word(Extent page, long at) {
        return at ^ ((long) System.identityHashCode(page) << 32);
    }
}
