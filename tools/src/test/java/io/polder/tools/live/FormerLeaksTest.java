package io.polder.tools.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** What pools left that are gone. */
@EnabledOnOs(OS.LINUX)
class FormerLeaksTest {
    /** Far longer than a JVM takes until its pools can be seen. */
    private static final long LOOKS_NANOS = TimeUnit.MINUTES.toNanos(3);

    private static final String LOGGED =
            "blocks were not freed when their pool was closed: pool=per request";

    @Test
    void leaks_ofPoolsThatAreGone_areTold(@TempDir Path directory) throws IOException {
        try (TargetJvm jvm = TargetJvm.start("gone:per request")) {
            long start = System.nanoTime();
            LiveRun run = LiveRun.of(new LeaksCommand(), jvm.pid());
            while ((run.exitCode() != 0 || !jvm.errors().contains(LOGGED)) // a little later
                    && System.nanoTime() - start < LOOKS_NANOS) {
                run = LiveRun.of(new LeaksCommand(), jvm.pid());
            }
            assertThat(run.err()).isEmpty();
            assertThat(jvm.errors()).contains(LOGGED);
            assertThat(run.out())
                    .containsSubsequence(
                            ", pools: 1\n",
                            "\nLeaks of pools that are gone:\n",
                            "  per request: 1 found, 300 bytes, most from io.polder.tools.live"
                                    + ".LiveTarget.leave(LiveTarget.java:",
                            "  per request: 1 found, 100 bytes, most from ");
            LiveRun json = LiveRun.of(new LeaksCommand(), jvm.pid(), "--json");
            JsonNode all = new ObjectMapper().readTree(json.out());
            assertThat(all.get("pools")).hasSize(1);
            assertThat(all.get("formerLeaks")).hasSize(2);
            assertThat(all.get("formerLeaks").get(0).asText()).startsWith("per request: 1 found");
            LiveRun report = LiveRun.of(new ReportCommand(), jvm.pid());
            assertThat(report.exitCode()).isZero();
            assertThat(report.out()).contains("\n  per request: 1 found, 300 bytes");
            Path file = directory.resolve("former.html");
            LiveRun page = LiveRun.of(new ReportCommand(), jvm.pid(), "--html", file.toString());
            assertThat(page.exitCode()).isZero();
            assertThat(file).content().contains("Pools that are gone</h2>", "per request: 1 found");
            LiveRun named = LiveRun.of(new LeaksCommand(), jvm.pid(), "--pool=common");
            assertThat(named.out()).doesNotContain("that are gone");
        }
    }
}
