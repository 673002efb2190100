package io.polder.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.polder.agent.Program.Result;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;

/** The census of a program whose arenas are known. */
class CensusTest extends ProgramFixture {
    @BeforeEach
    void compile() throws Exception {
        Program.compile(classes, Program.LIBRARY, Programs.COUNTED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "confined", "both"})
    void json_knownProgram_isExact(String pool) throws Exception {
        JsonNode census = census("pool=" + pool);
        JsonNode confined = census.get("confined");
        assertThat(confined.get("opened").asLong()).isEqualTo(4000 + 10 + 3 + 7);
        assertThat(confined.get("closed").asLong()).isEqualTo(4000 + 10 + 7);
        assertThat(confined.get("allocations").asLong()).isEqualTo(8000 + 10);
        assertThat(confined.get("bytes").asLong()).isEqualTo(4000 * 13 + 10 * 100_000);
        assertThat(confined.get("by_bytes").toString())
                .isEqualTo(
                        "[{\"min\":0,\"arenas\":7,\"bytes\":0},"
                                + "{\"min\":8,\"arenas\":4000,\"bytes\":52000},"
                                + "{\"min\":65536,\"arenas\":10,\"bytes\":1000000}]");
        assertThat(confined.get("by_allocations").toString())
                .isEqualTo(
                        "[{\"min\":0,\"arenas\":7},{\"min\":1,\"arenas\":10},"
                                + "{\"min\":2,\"arenas\":4000}]");
        JsonNode shared = census.get("shared");
        assertThat(shared.get("opened").asLong()).isEqualTo(5);
        assertThat(shared.get("closed").asLong()).isEqualTo(5);
        assertThat(shared.get("bytes").asLong()).isEqualTo(5 * 64);
        assertThat(census.get("served").toString())
                .isEqualTo(
                        "{\"arenas\":4015,\"of\":4015,\"slabs\":4000,\"chunks\":10,\"shared\":5,"
                                + "\"pool\":\""
                                + pool
                                + "\",\"now\":"
                                + Map.of("off", 0, "confined", 4000 + 10, "both", 4015).get(pool)
                                + "}");
    }

    @Test
    void json_callSites_haveLineAndVerdict() throws Exception {
        JsonNode census = census("pool=off");
        JsonNode busiest = census.get("sites").get(0);
        assertThat(busiest.get("class").asText()).isEqualTo("example.Counted");
        assertThat(busiest.get("method").asText()).isEqualTo("small");
        assertThat(busiest.get("line").asInt()).isEqualTo(38);
        assertThat(busiest.get("pooling").asText()).isEqualTo("yes");
        assertThat(
                        StreamSupport.stream(census.get("sites").spliterator(), false)
                                .map(site -> site.get("pooling").asText()))
                .containsExactly("yes", "large", "empty", "shared", "open");
    }

    @Test
    void leak_ofACountedArena_beginsWithTheProgramsFrame() throws Exception {
        Program.compile(
                classes,
                Program.LIBRARY,
                """
                package example;
                import java.lang.foreign.Arena;
                public class Forgetful {
                    public static void main(String[] args) throws Exception {
                        forget();
                        for (int i = 0; i < 40; i++) { // ends long after it was told
                            System.gc();
                            Thread.sleep(100);
                        }
                    }
                    static void forget() {
                        Arena.ofShared().allocate(8);
                    }
                }
                """);
        Result result =
                program.run(
                                List.of("-Dpolder.leaks=all"),
                                "pool=both,census",
                                "-cp",
                                classes.toString(),
                                "example.Forgetful")
                        .succeeds();
        assertThat(result.errors())
                .containsPattern("It was opened:\\R\tat example[.]Forgetful[.]forget[(]");
    }

    @Test
    void lifetimes_allArenas_areAccountedFor() throws Exception {
        JsonNode census = census("pool=off");
        long measured = 0;
        for (JsonNode bucket : census.get("confined").get("by_lifetime_nanos")) {
            measured += bucket.get("arenas").asLong();
        }
        assertThat(measured).isEqualTo(4017);
    }

    @Test
    void sites_moreThanWanted_areCountedAsOthers() throws Exception {
        JsonNode census = census("pool=off,census.sites=1");
        assertThat(census.get("sites")).hasSize(3);
        assertThat(census.get("confined").get("opened").asLong()).isEqualTo(4020);
        assertThat(census.get("sites").toString()).contains("(others)");
    }

    @Test
    void text_atTheEnd_goesToStandardError() throws Exception {
        Result result = program.run("census", "-cp", "classes", "example.Counted").succeeds();
        assertThat(result.output()).isEmpty();
        assertThat(result.errors())
                .startsWith("Census of arenas")
                .contains("4,020", "example.Counted.small(Counted.java:38)")
                .contains("It serves 4,015 of the 4,015 arenas", "by pool=both: 100.0 %")
                .contains("  4,000 from slabs, 10 larger ones from chunks and pages, 5 shared")
                .contains("  Pooled now, by pool=confined: 4,010\n");
    }

    private JsonNode census(String options) throws Exception {
        program.run(options + ",census.json=census.json", "-cp", "classes", "example.Counted")
                .succeeds();
        return new ObjectMapper().readTree(temporary.resolve("census.json").toFile());
    }
}
