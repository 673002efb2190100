package io.polder.lab.experiments.elasticity;

import io.polder.lab.harness.About;
import io.polder.lab.harness.Context;
import io.polder.lab.harness.Experiment;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.MallocLibrary;
import io.polder.lab.harness.Turns;
import io.polder.lab.report.Report;
import io.polder.memory.ProcessCheck;
import io.polder.tools.terminal.UnwrittenException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * What memory in arenas costs against malloc, in time and in resident memory, and how much of it
 * comes back when owners die.
 *
 * <p>Each run of a workload on a contender is a JVM of its own, one after the other. In a round
 * each contender has a turn, in an order drawn anew.
 */
public final class ElasticityExperiment implements Experiment {
    private final Scale quick;
    private final Scale full;
    private final Map<MallocLibrary, Path> installed;
    private final Set<MallocLibrary> libraries;

    /** Creates the experiment; looks which libraries are installed. */
    public ElasticityExperiment() {
        this(Scale.QUICK, Scale.FULL, MallocLibrary.installed(Contender.LIBRARIES));
    }

    /** Creates the experiment with other sizes and libraries, for tests. */
    ElasticityExperiment(Scale quick, Scale full, Map<MallocLibrary, Path> installed) {
        this.quick = quick;
        this.full = full;
        this.installed = Map.copyOf(installed);
        this.libraries = EnumSet.of(MallocLibrary.GLIBC);
        this.libraries.addAll(installed.keySet());
    }

    @Override
    public About about() {
        return About.withCsv(
                "elasticity",
                "memory in arenas against malloc alone: time, resident memory, what comes back",
                "elasticity-what-comes-back");
    }

    @Override
    public List<String> metricNames() {
        return ElasticityMetrics.names(Workload.ALL, libraries);
    }

    @Override
    public Report run(Context context)
            throws ExperimentException, UnwrittenException, InterruptedException {
        ExperimentException.unless(
                ProcessCheck.rssBytes().isPresent() && ProcessCheck.count().isPresent(),
                "The elasticity experiment reads /proc/self/smaps_rollup and /proc/self/maps, which"
                        + " this system does not have.");
        context.progress().show("drawing classes", 0);
        try {
            ClassCatalogue catalogue = ClassCatalogue.draw(ClassCatalogue.CLASSES, context.seed());
            Path file = Files.createTempFile("polder-classes", ".bin");
            try {
                catalogue.write(file);
                return run(context, new WorkloadJvms(catalogue, file, context.seed(), installed));
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new ExperimentException("A file could not be read or written: " + e, e);
        }
    }

    private Report run(Context context, WorkloadJvms jvms)
            throws ExperimentException, UnwrittenException, InterruptedException, IOException {
        Scale scale = context.quick() ? quick : full;
        Random random = new Random(context.seed());
        Set<String> jvmArgs = new LinkedHashSet<>();
        List<Measurement> measurements = new ArrayList<>();
        for (Workload workload : Workload.ALL) {
            Workload scaled = workload.scaledDown(scale.divisor());
            jvmArgs.addAll(jvms.jvmArgs(scaled));
            Measurement measurement =
                    measure(context, jvms, scale, scaled, random, measurements.size());
            measurements.add(measurement);
            Path csv = context.csv();
            if (csv != null) {
                measurement.writeRawData(csv);
            }
        }
        return new Report(
                ElasticityMetrics.of(measurements, libraries),
                ElasticityText.of(measurements, libraries, scale, jvms.catalogue()),
                List.copyOf(jvmArgs),
                ElasticitySection.of(measurements, libraries));
    }

    private Measurement measure(
            Context context,
            WorkloadJvms jvms,
            Scale scale,
            Workload scaled,
            Random random,
            int workloadsDone)
            throws ExperimentException, InterruptedException {
        Map<Contender, List<Recording>> recordings = new HashMap<>();
        new Turns<>(contenders(scale), scale.rounds(), random)
                .<ExperimentException>run(
                        (contender, _, ofWorkload) -> {
                            context.progress()
                                    .show(
                                            scaled.id() + " on " + contender.id(),
                                            (workloadsDone + ofWorkload) / Workload.ALL.size());
                            recordings
                                    .computeIfAbsent(contender, _ -> new ArrayList<>())
                                    .add(jvms.run(contender, scaled, scale));
                        });
        return new Measurement(scaled, recordings);
    }

    private List<Contender> contenders(Scale scale) {
        List<Contender> contenders = new ArrayList<>(Contender.all(libraries));
        contenders.removeIf(contender -> !scale.measures(contender));
        return contenders;
    }
}
