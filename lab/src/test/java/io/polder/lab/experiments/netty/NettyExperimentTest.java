package io.polder.lab.experiments.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.polder.lab.harness.SmokeRun;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Report;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;

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

        Report report = new SmokeRun().of(experiment, directory);

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
