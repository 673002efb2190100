package io.polder.lab.experiments.netty;

import io.polder.bench.JvmFlags;
import io.polder.lab.harness.About;
import io.polder.lab.harness.Context;
import io.polder.lab.harness.Experiment;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.Findings;
import io.polder.lab.harness.MeasuringJvm;
import io.polder.lab.harness.Turns;
import io.polder.lab.report.Metric;
import io.polder.lab.report.RawData;
import io.polder.lab.report.Report;
import io.polder.memory.ProcessCheck;
import io.polder.tools.terminal.UnwrittenException;

import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Netty's buffers in Polder's blocks, against Netty's own allocators: what a buffer costs, and what
 * a server that answers requests holds while it does and afterwards.
 *
 * <p>Each contender has JVMs of its own, in turns.
 */
public final class NettyExperiment implements Experiment {
    /** Arguments of all JVMs that measure. */
    private static final List<String> JVM_ARGS =
            List.of(
                    JvmFlags.NATIVE_ACCESS,
                    JvmFlags.UNSAFE_ACCESS,
                    "-Dio.netty.leakDetection.level=disabled",
                    "-XX:+UseSerialGC",
                    "-XX:+AlwaysPreTouch",
                    // With 512m and less Netty's adaptive allocator goes without its caches.
                    "-Xms768m",
                    "-Xmx768m",
                    // Of Netty's own buffers.
                    "-XX:MaxDirectMemorySize=4g",
                    // Threads of the lab have the caches that Netty's event loops have.
                    "-Dio.netty.allocator.useCacheForAllThreads=true",
                    "-Dio.netty.allocator.useCachedMagazinesForNonEventLoopThreads=true",
                    "-XX:CompileCommand=quiet",
                    BufferPattern.NOT_INLINED);

    /** Of a server, too: what the compilers freed is no contender's. */
    private static final String TRIM = "-XX:TrimNativeHeapInterval=500";

    /** Of all turns, the part that those without a server take; for the progress. A guess. */
    private static final double BUFFERS_SHARE = 0.4;

    private final Scale quick;
    private final Scale full;

    /** Creates the experiment. */
    public NettyExperiment() {
        this(Scale.QUICK, Scale.FULL);
    }

    /** Creates the experiment with other sizes, for tests. */
    NettyExperiment(Scale quick, Scale full) {
        this.quick = quick;
        this.full = full;
    }

    @Override
    public About about() {
        return About.withCsv(
                "netty",
                "what Netty's buffers cost in Polder's blocks, and a server whose buffers they"
                        + " are",
                "netty-buffers-and-a-server");
    }

    @Override
    public List<String> metricNames() {
        return NettyMetrics.names();
    }

    @Override
    public Report run(Context context)
            throws ExperimentException, UnwrittenException, InterruptedException {
        ExperimentException.unless(
                ProcessCheck.rssBytes().isPresent(),
                "The netty experiment looks at resident memory, which this system does not tell.");
        Scale scale = context.quick() ? quick : full;
        Findings found = new Findings();
        Random order = new Random(context.seed());
        new Turns<>(List.of(Contender.values()), scale.buffers().rounds(), order)
                .run(
                        (contender, round, done) -> {
                            context.progress()
                                    .show("buffers, " + contender.id(), done * BUFFERS_SHARE);
                            new MeasuringJvm(BufferJvm.class, JVM_ARGS, Scale.timeout())
                                    .run(
                                            "Measuring buffers, " + contender.id(),
                                            new BufferJvm.Task(
                                                    contender,
                                                    context.seed() + round,
                                                    scale.buffers()),
                                            found);
                        });
        new Turns<>(Contender.OF_SERVERS, scale.server().rounds(), order)
                .run(
                        (contender, round, done) -> {
                            context.progress()
                                    .show(
                                            "server, " + contender.id(),
                                            BUFFERS_SHARE + done * (1 - BUFFERS_SHARE));
                            new MeasuringJvm(ServerJvm.class, serverArgs(), Scale.timeout())
                                    .run(
                                            "Measuring a server, " + contender.id(),
                                            new ServerJvm.Task(
                                                    contender,
                                                    round,
                                                    context.seed() + round,
                                                    scale.server()),
                                            found);
                        });
        Path csv = context.csv();
        if (csv != null) {
            rawData(found).write(csv, "netty-server.csv");
        }
        List<Metric> metrics = NettyMetrics.of(found);
        return new Report(
                metrics,
                NettyText.of(found, scale),
                serverArgs(),
                NettySection.of(found, NettyGoals.list(metrics)));
    }

    private static List<String> serverArgs() {
        return Stream.concat(JVM_ARGS.stream(), Stream.of(TRIM)).toList();
    }

    /** All samples of resident memory. */
    private static RawData rawData(Findings found) {
        RawData data = new RawData(List.of("contender", "round", "millis", "rss_bytes"));
        for (ServerPoint point : found.points(ServerPoint.class)) {
            data.row(
                    List.of(
                            point.contender().id(),
                            point.round(),
                            point.millis(),
                            point.rssBytes()));
        }
        return data;
    }
}
