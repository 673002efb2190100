package io.polder;

import static org.assertj.core.api.Assertions.assertThat;

import jdk.jfr.Configuration;
import jdk.jfr.FlightRecorder;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** What docs/observe.md says of events is so. */
@EnabledOnOs(OS.LINUX)
class ObserveTest {
    private static final Path PAGE = ChildJvm.repository().resolve("docs/observe.md");

    private static Configuration settings() throws IOException, ParseException {
        Path file = ChildJvm.repository().resolve("core/src/main/resources/polder.jfc");
        return Configuration.create(file);
    }

    /** Every event there is has settings, and is described. */
    @Test
    void settings_always_nameAllEvents() throws Exception {
        try (Recorded recorded = new Recorded("PoolStatistics", "HeapStatistics")) {
            assertThat(recorded.all()).isNotNull();
            Map<String, Boolean> inSettings = new TreeMap<>();
            settings().getSettings().keySet().stream()
                    .map(key -> key.substring(0, key.indexOf('#')))
                    .forEach(name -> inSettings.put(name, true));
            assertThat(inSettings.keySet())
                    .containsExactlyInAnyOrder(
                            "io.polder.ArenaLeak",
                            "io.polder.BlockStatistics",
                            "io.polder.Commit",
                            "io.polder.EvacuationCycle",
                            "io.polder.HeapStatistics",
                            "io.polder.PageAllocation",
                            "io.polder.PoolStatistics",
                            "io.polder.Uncommit");
            String page = Files.readString(PAGE);
            assertThat(inSettings.keySet())
                    .allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
            assertThat(
                            FlightRecorder.getFlightRecorder().getEventTypes().stream()
                                    .map(type -> type.getName())
                                    .filter(name -> name.startsWith("io.polder.")))
                    .isSubsetOf(inSettings.keySet());
        }
    }

    @Test
    void settings_inTheJar_areAtItsRoot() throws IOException {
        try (var file =
                Objects.requireNonNull(MemoryPool.class.getResourceAsStream("/polder.jfc"))) {
            assertThat(new String(file.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
                    .startsWith("<?xml");
        }
    }
}
