package io.polder.lab.pages;

import com.sun.management.OperatingSystemMXBean;

import io.polder.lab.experiment.Context;
import io.polder.lab.experiment.Experiment;
import io.polder.lab.experiment.ExperimentException;
import io.polder.lab.experiment.Report;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What a heap that changes between small and medium pages waits for them: the program on which
 * ZGC's page cache was examined, on the library's pages and on others.
 *
 * <p>Each run of a contender is a JVM of its own, one after the other. In a round each contender
 * has a turn, in an order drawn anew.
 */
public final class PagesExperiment implements Experiment {
    /** What a measuring JVM needs besides the heap. A guess, ample. */
    private static final long BESIDES_BYTES = 1L << 30;

    private final Effort quick;
    private final Effort full;
    private final List<Contender> contenders;

    /** Creates the experiment. */
    public PagesExperiment() {
        this(Effort.QUICK, Effort.FULL, List.of(Contender.values()));
    }

    /** Creates the experiment with other sizes and contenders, for tests. */
    PagesExperiment(Effort quick, Effort full, List<Contender> contenders) {
        this.quick = quick;
        this.full = full;
        this.contenders = List.copyOf(contenders);
    }

    @Override
    public String name() {
        return "pages";
    }

    @Override
    public String description() {
        return "what a heap of small and medium pages waits for them, and who assembles";
    }

    @Override
    public List<String> metricNames() {
        return PagesMetrics.names(contenders);
    }

    @Override
    public boolean writesCsv() {
        return true;
    }

    @Override
    public Report run(Context context) throws ExperimentException, InterruptedException {
        Effort effort = context.quick() ? quick : full;
        requireSystem(effort.program().budgetBytes() + BESIDES_BYTES);
        MeasuringJvms jvms = new MeasuringJvms(effort);
        context.progress().show("assembling", 0);
        Assemblies assemblies = jvms.assemble();
        List<Measurement> measurements = measure(context, effort, jvms);
        Path csv = context.csv();
        if (csv != null) {
            try {
                for (Measurement measurement : measurements) {
                    Timeline.write(csv, measurement);
                }
            } catch (IOException e) {
                throw new ExperimentException("A file could not be written: " + e, e);
            }
        }
        return new Report(
                PagesMetrics.of(measurements, assemblies),
                PagesText.of(measurements, assemblies, effort),
                MeasuringJvms.JVM_ARGS,
                PagesExhibit.of(measurements, assemblies));
    }

    private List<Measurement> measure(Context context, Effort effort, MeasuringJvms jvms)
            throws ExperimentException, InterruptedException {
        Random random = new Random(context.seed());
        Map<Contender, List<Recording>> recordings = new EnumMap<>(Contender.class);
        for (int round = 0; round < effort.rounds(); round++) {
            List<Contender> order = new ArrayList<>(contenders);
            Collections.shuffle(order, random);
            for (int i = 0; i < order.size(); i++) {
                Contender contender = order.get(i);
                double done = (round + (i + 0.5) / order.size()) / effort.rounds();
                context.progress().show(contender.id(), done);
                // All contenders of a round have the same program.
                recordings
                        .computeIfAbsent(contender, _ -> new ArrayList<>())
                        .add(jvms.run(contender, context.seed() + round));
            }
        }
        return contenders.stream()
                .map(
                        contender ->
                                new Measurement(
                                        contender, recordings.getOrDefault(contender, List.of())))
                .toList();
    }

    private static void requireSystem(long bytes) throws ExperimentException {
        MemoryProvider provider = Providers.choose().provider();
        if (!provider.canUncommit() || !provider.canRemap()) {
            throw new ExperimentException(
                    "The pages experiment moves memory by system calls of Linux, which this system"
                            + " does not have.",
                    null);
        }
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                && system.getTotalMemorySize() < bytes) {
            throw new ExperimentException(
                    String.format(
                            "The pages experiment needs %d MiB of memory, of which there are %d;"
                                    + " with --quick it needs less.",
                            bytes >> 20, system.getTotalMemorySize() >> 20),
                    null);
        }
    }
}
