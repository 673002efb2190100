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

    /** Nothing of the target is open but what it left. */
    @Test
    void leaks_ofPoolsThatAreGone_areListed(@TempDir Path directory) throws IOException {
        try (TargetJvm jvm = TargetJvm.start("gone:per request")) {
            long start = System.nanoTime();
            LiveRun run = LiveRun.of(new LeaksCommand(), jvm.pid());
            while (run.exitCode() != 0 && System.nanoTime() - start < LOOKS_NANOS) {
                run = LiveRun.of(new LeaksCommand(), jvm.pid());
            }
            assertThat(run.err()).isEmpty();
            assertThat(jvm.errors())
                    .contains("blocks were not freed when their pool was closed: pool=per request");
            assertThat(run.out())
                    .contains(
                            ", pools: 0\n\nFormer pools, closed or unreachable, that left leaks: 2")
                    .containsSubsequence(
                            "\nFormer pool per request, 2 of this name\n  2 found, 400B\n",
                            "  2 x blocks, 400B, last by thread main:\n",
                            "      at io.polder.tools.live.LiveTarget.leave(LiveTarget.java:")
                    .containsOnlyOnce("Former pool per request");
            LiveRun json = LiveRun.of(new LeaksCommand(), jvm.pid(), "--json");
            JsonNode all = new ObjectMapper().readTree(json.out());
            assertThat(all.get("pools")).isEmpty();
            assertThat(all.get("formerPoolsForgotten").asLong()).isZero();
            JsonNode last = all.get("formerPools").get(0);
            assertThat(last.get("name").asText()).isEqualTo("per request");
            assertThat(last.get("bytes").asLong()).isEqualTo(300);
            JsonNode site = last.get("sites").get(0);
            assertThat(site.fieldNames())
                    .toIterable()
                    .containsExactly("kind", "count", "bytes", "thread", "openedAt");
            assertThat(site.get("kind").asText()).isEqualTo("blocks");
            assertThat(site.get("openedAt").get(0).asText()).contains("LiveTarget.leave");
            LiveRun report = LiveRun.of(new ReportCommand(), jvm.pid(), "--pool=per request");
            assertThat(report.exitCode()).isZero();
            assertThat(report.out())
                    .contains("\nFormer pool per request, 2 of this name\n  2 found");
            Path file = directory.resolve("former.html");
            LiveRun page = LiveRun.of(new ReportCommand(), jvm.pid(), "--html", file.toString());
            assertThat(page.exitCode()).isZero();
            assertThat(file).content().contains("Former pools</h2>", "Former pool per request");
            LiveRun other = LiveRun.of(new LeaksCommand(), jvm.pid(), "--pool=other");
            assertThat(other.exitCode()).isEqualTo(17);
            LiveRun map = LiveRun.of(new MapCommand(), jvm.pid());
            assertThat(map.exitCode()).isEqualTo(17);
        }
    }
}
