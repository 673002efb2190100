package io.polder.lab.experiments.cache;

import io.polder.lab.harness.About;
import io.polder.lab.harness.Context;
import io.polder.lab.harness.Experiment;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MeasuringJvm;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Report;
import io.polder.memory.ProcessCheck;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Polder's cache against others: what is resident for what is live, what an entry costs, how many
 * operations there are in a second, and how many keys are found.
 *
 * <p>Each contender has fresh JVMs: one for memory, and one for each number of entries. Contenders
 * other than Polder and Caffeine are measured if they were {@linkplain Downloads downloaded}. One
 * that fails is said to have failed, and how.
 */
public final class CacheExperiment implements Experiment {
    /** Shares of the time of all parts, for the progress. A guess. */
    private static final double MEMORY_SHARE = 0.5;

    private static final double TRAFFIC_SHARE = 0.4;

    private final Scale quick;
    private final Scale full;
    private final Downloads downloads;

    /** Creates the experiment, with the contenders that were downloaded. */
    public CacheExperiment() {
        this(Scale.QUICK, Scale.FULL, Downloads.here());
    }

    /** Creates the experiment with other sizes, for tests. */
    CacheExperiment(Scale quick, Scale full, Downloads downloads) {
        this.quick = quick;
        this.full = full;
        this.downloads = downloads;
    }

    @Override
    public About about() {
        return new About(
                "cache",
                "what caches keep of the memory they take, beside others off the heap and Caffeine",
                false,
                false,
                "cache-against-other-caches");
    }

    @Override
    public List<String> metricNames() {
        return CacheMetrics.names(downloads.contenders());
    }

    @Override
    public Report run(Context context) throws ExperimentException, InterruptedException {
        ExperimentException.unless(
                ProcessCheck.rssBytes().isPresent(),
                "The cache experiment looks at resident memory, which this system does not tell.");
        Scale scale = context.quick() ? quick : full;
        Findings found = new Findings();
        Map<String, String> failures = new TreeMap<>();
        List<Contender> order = new ArrayList<>(downloads.contenders());
        Collections.shuffle(order, new Random(context.seed()));
        List<Contender> measured = new ArrayList<>();
        for (Contender contender : order) {
            double done = (double) order.indexOf(contender) / order.size();
            context.progress().show("memory, " + contender.id(), done * MEMORY_SHARE);
            boolean well =
                    measure(
                            contender,
                            "memory",
                            new CacheJvms(downloads).ofMemory(contender, scale),
                            new MemoryJvm.Task(contender, context.seed(), scale.memory()),
                            found,
                            failures);
            if (well) {
                measured.add(contender);
            }
        }
        List<Contender> timed = new ArrayList<>();
        for (Contender contender : measured) {
            double done = (double) measured.indexOf(contender) / measured.size();
            context.progress()
                    .show("speed, " + contender.id(), MEMORY_SHARE + done * TRAFFIC_SHARE);
            boolean well = true;
            for (int entries : scale.traffic().entries()) {
                well &=
                        measure(
                                contender,
                                "speed of " + entries + " entries",
                                new CacheJvms(downloads).ofTraffic(contender, entries),
                                new TrafficJvm.Task(
                                        contender, entries, context.seed(), scale.traffic()),
                                found,
                                failures);
            }
            if (well) {
                timed.add(contender);
            }
        }
        context.progress().show("hit ratios", MEMORY_SHARE + TRAFFIC_SHARE);
        new MeasuringJvm(HitRatioJvm.class, Contender.POLDER.jvmArgs(), Scale.timeout())
                .run("Measuring hit ratios", new HitRatioJvm.Task(scale.requests()), found);
        Collections.sort(measured);
        Collections.sort(timed);
        return report(new Results(found, measured, timed, failures, scale));
    }

    private Report report(Results results) {
        List<Metric> metrics = CacheMetrics.of(results);
        return new Report(
                        metrics,
                        CacheText.of(results, downloads),
                        CacheJvms.OFF_HEAP_ARGS,
                        CacheSection.of(results, CacheGoals.list(results)))
                .withWarnings(results.warnings());
    }

    /**
     * Whether it could be measured; if not, why not is kept, and nothing else of it is measured.
     * Polder itself must not fail.
     */
    private static boolean measure(
            Contender contender,
            String part,
            MeasuringJvm jvm,
            Record task,
            Findings found,
            Map<String, String> failures)
            throws ExperimentException, InterruptedException {
        try {
            jvm.run("Measuring " + contender.id() + ", " + part + ",", task, found);
            return true;
        } catch (ExperimentException e) {
            if (contender.isBuiltIn()) {
                throw e;
            }
            failures.put(contender.id() + ", " + part, CacheJvms.cause(e));
            return false;
        }
    }
}
