package io.polder.lab.experiments.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.harness.Context;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Report;
import io.polder.tools.terminal.ProgressLines;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The whole experiment, too short to mean anything: everything runs. */
@EnabledOnOs(OS.LINUX)
@Tag("full")
class NettyExperimentTest {
    private static final Scale SMOKE =
            new Scale(
                    new Scale.Buffers(1, Duration.ofMillis(20), Duration.ofMillis(10)),
                    new Scale.Server(
                            1,
                            4,
                            Duration.ofMillis(100),
                            Duration.ofMillis(500),
                            Duration.ofMillis(100)));

    @Test
    void run_reportsEveryMetricAndWritesSamples(@TempDir Path directory) throws Exception {
        NettyExperiment experiment = new NettyExperiment(SMOKE, SMOKE);
        PrintStream progress =
                new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8);

        Report report =
                experiment.run(
                        new Context(true, 3, List.of(), new ProgressLines(progress), directory));

        assertThat(report.metricNames()).isEqualTo(experiment.metricNames());
        assertThat(report.metrics())
                .extracting(Metric::value)
                .allSatisfy(value -> assertThat(value).isPositive());
        for (Contender contender : Contender.OF_SERVERS) {
            assertThat(report.tables()).contains(contender.id());
        }
        assertThat(directory.resolve("netty-server.csv"))
                .content()
                .startsWith("contender,round,millis,rss_bytes")
                .contains("\npolder,0,", "\nadaptive,0,", "\npooled,0,");
        assertThat(report.section().charts()).hasSize(3);
    }
}
