package io.polder.lab.experiments.pages;

import com.sun.management.OperatingSystemMXBean;

import io.polder.bench.JvmFlags;
import io.polder.lab.harness.About;
import io.polder.lab.harness.Context;
import io.polder.lab.harness.Experiment;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MeasuringJvm;
import io.polder.lab.harness.Turns;
import io.polder.lab.report.RawData;
import io.polder.lab.report.Report;
import io.polder.memory.MemoryProvider;
import io.polder.memory.Providers;
import io.polder.tools.terminal.UnwrittenException;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
    /**
     * The measuring JVMs' Java heap has one size and is touched before; what is allocated during a
     * run fits its young part, so that no collection of it falls into a run.
     */
    private static final List<String> JVM_ARGS =
            List.of(
                    JvmFlags.NATIVE_ACCESS,
                    "-XX:+UseSerialGC",
                    "-Xms320m",
                    "-Xmx320m",
                    "-Xmn256m",
                    "-XX:+AlwaysPreTouch");

    /** What a measuring JVM needs besides the heap. A guess, ample. */
    private static final long BESIDES_BYTES = 1L << 30;

    private final Scale quick;
    private final Scale full;
    private final List<Contender> contenders;

    /** Creates the experiment. */
    public PagesExperiment() {
        this(Scale.QUICK, Scale.FULL, List.of(Contender.values()));
    }

    /** Creates the experiment with other sizes and contenders, for tests. */
    PagesExperiment(Scale quick, Scale full, List<Contender> contenders) {
        this.quick = quick;
        this.full = full;
        this.contenders = List.copyOf(contenders);
    }

    @Override
    public About about() {
        return About.withCsv(
                "pages",
                "how long a heap waits for small and medium pages, and which thread assembles",
                "pages-contiguous-memory-without-waiting");
    }

    @Override
    public List<String> metricNames() {
        return PagesMetrics.names(contenders);
    }

    @Override
    public Report run(Context context)
            throws ExperimentException, UnwrittenException, InterruptedException {
        Scale scale = context.quick() ? quick : full;
        requireSystem(scale.program().budgetBytes() + BESIDES_BYTES);
        context.progress().show("assembling", 0);
        Findings assemblies = new Findings();
        new MeasuringJvm(AssemblyJvm.class, JVM_ARGS, scale.timeout())
                .run("Assembling", new AssemblyJvm.Task(scale.assemblies()), assemblies);
        List<Measurement> measurements = measure(context, scale);
        Path csv = context.csv();
        if (csv != null) {
            for (Measurement measurement : measurements) {
                rawData(measurement.recordings())
                        .write(csv, "pages-" + measurement.contender().id() + ".csv");
            }
        }
        return new Report(
                PagesMetrics.of(measurements, assemblies),
                PagesText.of(measurements, assemblies, scale),
                JVM_ARGS,
                PagesSection.of(measurements, assemblies));
    }

    /** All points of a contender, each behind the number of its round. */
    static RawData rawData(List<Recording> recordings) {
        List<String> names = new ArrayList<>(List.of("round"));
        Arrays.stream(Point.Value.values()).map(Point.Value::id).forEach(names::add);
        RawData data = new RawData(names);
        for (int i = 0; i < recordings.size(); i++) {
            for (Point point : recordings.get(i).points()) {
                List<Long> row = new ArrayList<>(List.of(i + 1L));
                row.addAll(point.numbers());
                data.row(row);
            }
        }
        return data;
    }

    private List<Measurement> measure(Context context, Scale scale)
            throws ExperimentException, InterruptedException {
        Map<Contender, List<Recording>> recordings = new EnumMap<>(Contender.class);
        MeasuringJvm jvm = new MeasuringJvm(PagesJvm.class, JVM_ARGS, scale.timeout());
        new Turns<>(contenders, scale.rounds(), new Random(context.seed()))
                .<ExperimentException>run(
                        (contender, round, done) -> {
                            context.progress().show(contender.id(), done);
                            // All contenders of a round have the same program.
                            long seed = context.seed() + round;
                            Findings findings = new Findings();
                            jvm.run(
                                    "The program on " + contender.id(),
                                    new PagesJvm.Task(contender, seed, scale),
                                    findings);
                            recordings
                                    .computeIfAbsent(contender, _ -> new ArrayList<>())
                                    .add(new Recording(findings));
                        });
        return contenders.stream()
                .map(
                        contender ->
                                new Measurement(
                                        contender, recordings.getOrDefault(contender, List.of())))
                .toList();
    }

    private static void requireSystem(long bytes) throws ExperimentException {
        MemoryProvider provider = Providers.choose().provider();
        ExperimentException.unless(
                provider.canUncommit() && provider.canRemap(),
                "The pages experiment moves memory by system calls of Linux, which this system does"
                        + " not have.");
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
