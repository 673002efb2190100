package io.polder.lab.experiments.cache;

import io.polder.cache.HitRatios;
import io.polder.cache.Traces;
import io.polder.lab.harness.MeasuringMain;
import io.polder.lab.harness.Sampler;

import java.util.List;
import java.util.Locale;

/**
 * Main class of a measuring JVM: on rows of keys that are made up, how many more of them Caffeine
 * has than Polder's cache when both may have as many entries.
 *
 * <p>Samples: those named here, with the trace behind, one for each size of the caches.
 */
final class HitRatioJvm {
    static final String GAP = "gap.";
    static final String POLDER = "hits.polder.";
    static final String CAFFEINE = "hits.caffeine.";

    /** What decides the keys, whatever the lab's seed is: figures can be compared. */
    private static final long SEED = 1;

    private HitRatioJvm() {}

    /** What it is told. */
    record Task(int requests) {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        MeasuringMain.run(args, Task.class, HitRatioJvm::run);
    }

    /** Names of the traces in metrics, in order. */
    static List<String> traces() {
        return Traces.all(SEED).stream().map(trace -> id(trace.name())).toList();
    }

    private static String id(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_");
    }

    private static void run(Task task, Sampler sampler) {
        List<Traces.Trace> all = Traces.all(SEED);
        for (int i = 0; i < all.size(); i++) {
            Traces.Trace trace = all.get(i);
            String id = id(trace.name());
            for (long entries : trace.sizes()) {
                HitRatios.Row row = HitRatios.measure(trace, entries, task.requests());
                sampler.sample(GAP + id, row.gap());
                sampler.sample(POLDER + id, row.polder());
                sampler.sample(CAFFEINE + id, row.caffeine());
            }
            sampler.progress((i + 1.0) / all.size());
        }
    }
}
