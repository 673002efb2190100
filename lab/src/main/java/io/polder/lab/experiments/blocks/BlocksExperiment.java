package io.polder.lab.experiments.blocks;

import io.polder.bench.JvmFlags;
import io.polder.lab.harness.About;
import io.polder.lab.harness.Context;
import io.polder.lab.harness.Experiment;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.MeasuringJvm;
import io.polder.lab.harness.Turns;
import io.polder.lab.report.Report;
import io.polder.memory.ProcessCheck;
import io.polder.tools.terminal.UnwrittenException;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * What blocks cost against malloc: time, resident memory, and what comes back after a burst. Each
 * contender has JVMs of its own, one after the other in an order drawn anew in each round.
 */
public final class BlocksExperiment implements Experiment {
    /** The Java heap has one size, and is touched before anything is measured. */
    private static final List<String> JVM_ARGS =
            List.of(
                    JvmFlags.NATIVE_ACCESS,
                    "-XX:+UseSerialGC",
                    "-Xms96m",
                    "-Xmx96m",
                    "-XX:+AlwaysPreTouch");

    /** Of the whole run, what times take. A guess. */
    private static final double SHARE_OF_TIMES = 0.7;

    private final Scale quick;
    private final Scale full;
    private final Map<MallocLibrary, Path> installed;
    private final List<MallocLibrary> libraries = new ArrayList<>();

    /** Creates the experiment; looks which libraries are installed. */
    public BlocksExperiment() {
        this(Scale.QUICK, Scale.FULL, MallocLibrary.installed(List.of(MallocLibrary.values())));
    }

    /** Creates the experiment with other sizes and libraries, for tests. */
    BlocksExperiment(Scale quick, Scale full, Map<MallocLibrary, Path> installed) {
        this.quick = quick;
        this.full = full;
        this.installed = Map.copyOf(installed);
        for (MallocLibrary library : MallocLibrary.values()) {
            if (library == MallocLibrary.GLIBC || installed.containsKey(library)) {
                libraries.add(library);
            }
        }
    }

    @Override
    public About about() {
        return About.withCsv(
                "blocks",
                "blocks that any thread allocates and frees, against malloc",
                "blocks-against-malloc");
    }

    @Override
    public List<String> metricNames() {
        return BlocksMetrics.names(libraries);
    }

    @Override
    public Report run(Context context)
            throws ExperimentException, UnwrittenException, InterruptedException {
        ExperimentException.unless(
                ProcessCheck.rssBytes().isPresent(),
                "The blocks experiment reads /proc/self/smaps_rollup, which this system does not"
                        + " have.");
        Scale scale = context.quick() ? quick : full;
        Random random = new Random(context.seed());
        Map<Contender, Findings> times = new HashMap<>();
        new Turns<>(Contender.timed(libraries), scale.rounds(), random)
                .<ExperimentException>run(
                        (contender, round, done) -> {
                            context.progress().show(contender.id(), done * SHARE_OF_TIMES);
                            jvm(TimeJvm.class, contender, scale)
                                    .run(
                                            "Timing " + contender.id(),
                                            new TimeJvm.Task(
                                                    contender,
                                                    preloaded(contender),
                                                    context.seed() + round,
                                                    scale),
                                            times.computeIfAbsent(contender, _ -> new Findings()));
                        });
        Results results = new Results(libraries, times, memory(context, scale, random));
        Path csv = context.csv();
        if (csv != null) {
            BlocksCsv.write(csv, results);
        }
        return new Report(
                BlocksMetrics.of(results),
                BlocksText.of(results, scale),
                JVM_ARGS,
                BlocksSection.of(results));
    }

    private Map<String, Map<Contender, List<Findings>>> memory(
            Context context, Scale scale, Random random)
            throws ExperimentException, InterruptedException {
        Map<String, Map<Contender, List<Findings>>> memory = new LinkedHashMap<>();
        List<String> watched = BlocksMetrics.watched();
        for (String workload : watched) {
            double before =
                    SHARE_OF_TIMES + (1 - SHARE_OF_TIMES) * memory.size() / (double) watched.size();
            context.progress().show("resident memory, " + workload, before);
            Map<Contender, List<Findings>> found = new HashMap<>();
            memory.put(workload, found);
            List<Callable<Void>> runs = new ArrayList<>();
            new Turns<>(Contender.weighed(libraries), scale.rounds(), random)
                    .<ExperimentException>run(
                            (contender, round, _) -> {
                                Findings one = new Findings();
                                found.computeIfAbsent(contender, _ -> new ArrayList<>()).add(one);
                                MemoryJvm.Task task =
                                        new MemoryJvm.Task(
                                                contender,
                                                workload,
                                                preloaded(contender),
                                                context.seed() + round,
                                                scale);
                                String what = workload + " on " + contender.owner();
                                runs.add(
                                        () -> {
                                            jvm(MemoryJvm.class, contender, scale)
                                                    .run("Resident memory of " + what, task, one);
                                            return null;
                                        });
                            });
            all(runs, scale.sideBySide() ? runs.size() : 1);
        }
        return memory;
    }

    /** Does all, so many at a time; if one fails or this thread is interrupted, none goes on. */
    private static void all(List<Callable<Void>> runs, int atATime)
            throws ExperimentException, InterruptedException {
        ExecutorService executor = Executors.newFixedThreadPool(atATime);
        try {
            List<Future<Void>> futures = runs.stream().map(executor::submit).toList();
            for (Future<Void> future : futures) {
                future.get();
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ExperimentException failed) {
                throw failed;
            }
            throw new IllegalStateException(e.getCause());
        } finally {
            executor.shutdownNow();
            executor.close();
        }
    }

    private MeasuringJvm jvm(Class<?> main, Contender contender, Scale scale) {
        return new MeasuringJvm(
                main, JVM_ARGS, scale.timeout(), MallocLibrary.preloading(preloaded(contender)));
    }

    private @Nullable String preloaded(Contender contender) {
        MallocLibrary library = contender.library();
        Path file = library == null ? null : installed.get(library);
        return file == null ? null : file.toString();
    }
}
