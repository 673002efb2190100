package io.polder.lab.experiments.fragmentation;

import io.polder.lab.experiments.fragmentation.SmallThenLarge.Outcome;
import io.polder.lab.harness.About;
import io.polder.lab.harness.Context;
import io.polder.lab.harness.Experiment;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.report.Metrics;
import io.polder.lab.report.Report;

import java.util.ArrayList;
import java.util.List;

/**
 * How much of a budget can a large owner have after many small ones died?
 *
 * <p>Three policies do the same: the two that HotSpot's metaspace had before it got buddy chunks,
 * as {@linkplain ChunkSpace models}, and Polder. Nothing is timed: it is a question of room.
 */
public final class FragmentationExperiment implements Experiment {
    private static final List<String> IDS = List.of("size_locked", "split_merge", "polder");

    /** Contenders in the order of {@link #IDS}; each gets a budget. */
    private static final List<Creator> CONTENDERS =
            List.of(
                    budget ->
                            new ModelContender(
                                    IDS.get(0), "free lists by size", new SizeLockedSpace(budget)),
                    budget ->
                            new ModelContender(
                                    IDS.get(1), "split and merge", new SplitMergeSpace(budget)),
                    PolderContender::new);

    private static final Metrics<FragmentationReport> METRICS = FragmentationReport.metrics(IDS);

    /** Creates a contender that has nothing but a budget. */
    private interface Creator {
        Contender create(long budgetBytes) throws ExperimentException;
    }

    /** Creates the experiment. */
    public FragmentationExperiment() {}

    @Override
    public About about() {
        return new About(
                "fragmentation",
                "how much room small owners leave to a large one",
                false,
                false,
                "fragmentation-what-small-owners-leave-to-a-large-one");
    }

    @Override
    public List<String> metricNames() {
        return METRICS.names();
    }

    @Override
    public Report run(Context context) throws ExperimentException {
        List<Outcome> outcomes = new ArrayList<>();
        for (Creator creator : CONTENDERS) {
            try (Contender contender = creator.create(SmallThenLarge.BUDGET_BYTES)) {
                context.progress()
                        .show(contender.label(), outcomes.size() / (double) CONTENDERS.size());
                outcomes.add(new SmallThenLarge(context.seed()).run(contender));
            }
        }
        return new FragmentationReport(outcomes).of(METRICS);
    }
}
