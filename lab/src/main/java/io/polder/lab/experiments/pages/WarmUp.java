package io.polder.lab.experiments.pages;

import io.polder.lab.experiments.pages.PageSource.Taken;
import io.polder.lab.harness.Findings;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Random;

/** Runs what will be measured until it is compiled, on pages that are given back. */
final class WarmUp {
    /** As small as the program can be with pages of 32 MiB. */
    private static final Program PROGRAM = new Program(512L << 20, 1);

    /** Takes in a turn. A guess: with a few turns enough for the optimising compiler. */
    private static final int TAKES = 5000;

    /** Pages taken at the same time: a third of what there may be, if all were of 32 MiB. */
    private static final int TAKEN_MAX = 5;

    /** Of the takes, those of medium pages: one of so many. */
    private static final int MEDIUM_EVERY = 8;

    private final Contender contender;
    private final Random random;

    /** Warm-up for a contender. */
    WarmUp(Contender contender, long seed) {
        this.contender = contender;
        this.random = new Random(seed);
    }

    /** Runs for so long; not at all if that is zero. */
    void run(Duration time) throws InterruptedException {
        long start = System.nanoTime();
        while (System.nanoTime() - start < time.toNanos()) {
            try (PageSource source = contender.open(PROGRAM.budgetBytes())) {
                new WorkloadRun(contender, PROGRAM, source, random.nextLong(), new Findings())
                        .run();
                takeAndGive(source);
            }
        }
    }

    private void takeAndGive(PageSource source) {
        ArrayDeque<Taken> pages = new ArrayDeque<>();
        for (int i = 0; i < TAKES; i++) {
            ObjectKind kind =
                    random.nextInt(MEDIUM_EVERY) == 0 ? ObjectKind.MEDIUM : ObjectKind.SMALL;
            Taken page = source.take(contender.pageBytesMin(kind), kind.pageBytesMax());
            if (page != null) {
                pages.add(page);
            }
            while (pages.size() > random.nextInt(TAKEN_MAX)) {
                source.give(pages.remove(), 0);
            }
        }
        pages.forEach(page -> source.give(page, 0));
    }
}
