package io.polder.lab.experiments.blocks;

import io.polder.lab.harness.SizeLaw;
import io.polder.tools.html.Term;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What is asked of a contender.
 *
 * @param id in metrics, tables and files
 * @param title of it, in words
 * @param threads with how many it is timed
 * @param weighed whether its peak of resident memory is looked at
 * @param maker of its works
 */
record Workload(String id, String title, List<Integer> threads, boolean weighed, TeamMaker maker) {
    private static final int PAIR_BLOCKS = 1000;
    private static final BlockSizes PAIR_SIZES = BlockSizes.uniform(8, 1000);
    private static final int SINGLE_BYTES = 64;
    private static final int LARGE_BLOCKS = 32;
    private static final BlockSizes LARGE_SIZES =
            BlockSizes.of(SizeLaw.logarithmic(64 << 10, 4 << 20));
    private static final long GROWN_BYTES = 4 << 20;

    /** The one whose time has a goal of its own. */
    static final String SINGLE = "single";

    /** The first that the issue names, and that whose Java heap is looked at. */
    static final String PAIR = "pair";

    /** A thread allocates, another one frees. */
    static final String XMALLOC = "xmalloc";

    /** Threads inherit blocks. */
    static final String LARSON = "larson";

    /** Blocks of many pages of the system. */
    static final String LARGE = "large";

    /** Everything, in the order of the metrics. */
    static final List<Workload> ALL = all(Runtime.getRuntime().availableProcessors());

    /** All of them with each number of threads, in the same order. */
    static final List<Timed> TIMED =
            ALL.stream()
                    .flatMap(each -> each.threads.stream().map(count -> new Timed(each, count)))
                    .toList();

    /** Copies the list. */
    Workload {
        threads = List.copyOf(threads);
    }

    /** A workload with so many threads, as it is timed. */
    record Timed(Workload workload, int threads) {
        /** Name in metrics, tables and files. */
        String id() {
            return workload.with(threads);
        }

        /** The same, and what it is. */
        Term term() {
            return new Term(
                    id(),
                    workload.title
                            + (threads == 1 ? "; one thread." : "; " + threads + " threads."));
        }
    }

    /** Its name, and what it is, with as many threads as there may be. */
    Term term() {
        return new Term(id, title + "; with the most threads, " + threadsMax() + ".");
    }

    /** Makes the works of so many threads. */
    @FunctionalInterface
    interface TeamMaker {
        /**
         * Makes them, where few blocks are wanted with small working sets.
         *
         * @param few whether it is only to warm up
         */
        Work.Team make(BlockSource source, int threads, long seed, boolean few);
    }

    /** All workloads on a machine with so many processors. */
    static List<Workload> all(int processors) {
        List<Integer> threads =
                Stream.of(1, 2, processors)
                        .filter(count -> count <= Math.max(2, processors))
                        .distinct()
                        .sorted()
                        .toList();
        List<Workload> all = new ArrayList<>();
        all.add(
                new Workload(
                        SINGLE,
                        "64 B allocated and freed",
                        threads,
                        false,
                        (source, count, _, _) ->
                                team(count, _ -> new Single(source, SINGLE_BYTES))));
        all.add(
                new Workload(
                        PAIR,
                        "1000 blocks of 8 to 1000 B, replaced",
                        threads,
                        true,
                        replacing(PAIR_SIZES, PAIR_BLOCKS)));
        all.add(
                new Workload(
                        LARSON,
                        "5000 blocks of 8 to 999 B, inherited",
                        threads,
                        true,
                        (source, count, seed, few) ->
                                team(
                                        count,
                                        thread ->
                                                new Larson(
                                                        source,
                                                        few ? Work.PASS : Larson.BLOCKS,
                                                        thread,
                                                        seed))));
        all.add(
                new Workload(
                        XMALLOC,
                        "64 B, freed by another thread",
                        threads,
                        true,
                        (source, count, _, few) -> Xmalloc.team(source, count, few)));
        for (String law : SizeLaw.names()) {
            all.add(
                    new Workload(
                            PAIR + "-" + law,
                            "1000 blocks, sizes of " + law,
                            List.of(1),
                            false,
                            replacing(BlockSizes.of(SizeLaw.named(law)), PAIR_BLOCKS)));
        }
        all.add(
                new Workload(
                        LARGE,
                        "32 blocks of 64 KiB to 4 MiB, replaced",
                        threads,
                        true,
                        replacing(LARGE_SIZES, LARGE_BLOCKS)));
        all.add(
                new Workload(
                        "growth",
                        "64 B to 4 MiB by reallocate",
                        threads,
                        false,
                        (source, count, _, _) ->
                                team(count, thread -> new Growing(source, GROWN_BYTES, thread))));
        return List.copyOf(all);
    }

    private static TeamMaker replacing(BlockSizes sizes, int blocks) {
        return (source, count, seed, few) ->
                team(
                        count,
                        thread ->
                                new Replacing(
                                        source,
                                        sizes,
                                        few ? Math.min(blocks, Work.PASS) / 8 : blocks,
                                        thread,
                                        seed));
    }

    private interface WorkMaker {
        Work make(int thread);
    }

    private static Work.Team team(int threads, WorkMaker maker) {
        List<Work> works = new ArrayList<>();
        for (int thread = 0; thread < threads; thread++) {
            works.add(maker.make(thread));
        }
        return new Work.Team(works, () -> {});
    }

    /** It with so many threads, as in metrics. */
    String with(int count) {
        return id + ".t" + count;
    }

    /** The most threads with which it is run. */
    int threadsMax() {
        return threads.getLast();
    }

    /**
     * The workload of a name.
     *
     * @throws IllegalArgumentException if there is none
     */
    static Workload withId(String id) {
        return ALL.stream()
                .filter(workload -> workload.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no such workload: id=" + id));
    }
}
