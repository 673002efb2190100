package io.polder.tools.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.polder.tools.PolderProcess;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A running JVM is looked at, by each of the commands. */
@EnabledOnOs(OS.LINUX)
class LiveCommandsTest {
    private static final String ESCAPE = "\u001b";

    /** Far longer than a JVM takes until its pools can be seen. */
    private static final long LOOKS_NANOS = TimeUnit.MINUTES.toNanos(3);

    /** The four of the target, and the common one. */
    private static final int POOLS = 5;

    private static TargetJvm target;

    @BeforeAll
    static void start() throws IOException {
        target = TargetJvm.start("alpha", "beta", "beta", "evil\\033[31m\\nPool x");
        awaitPools(target, POOLS);
    }

    /** Returns when so many pools can be seen. */
    static void awaitPools(TargetJvm jvm, int count) {
        String title = ", pools: " + count + ", ";
        long start = System.nanoTime();
        LiveRun look = LiveRun.of(new TopCommand(), jvm.pid(), "--once");
        while (!look.out().contains(title)) {
            assertThat(System.nanoTime() - start).as("%s", look).isLessThan(LOOKS_NANOS);
            look = LiveRun.of(new TopCommand(), jvm.pid(), "--once");
        }
    }

    @AfterAll
    static void stop() {
        target.end();
    }

    @Test
    void report_ofAllPools_isWhatThePoolsSay() {
        LiveRun run = LiveRun.of(new ReportCommand(), target.pid());
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .startsWith(
                        "PID "
                                + target.pid()
                                + " (io.polder.tools.live.LiveTarget), pools: 5\n\n"
                                + "     used committed  reserved     limit  used        blocks"
                                + " heaps  leaks  pool\n")
                .containsPattern("\n +[0-9.]+M .* 0    off  all 5 pools\n")
                .containsPattern("\n +[0-9.]+M .* 0    off  beta #2\n")
                .contains("\nPool alpha\nMemory          used ")
                .contains("   Pages: 1 page, 6.00 MB, 0 of them given and kept by views\n")
                .doesNotContain(ESCAPE)
                .doesNotContain("\nPool x");
        assertThat(run.out().lines().filter(line -> line.startsWith("Pool beta")))
                .containsExactly("Pool beta", "Pool beta #2");
    }

    @Test
    void pool_byNameAndNumber_isThatOne() throws IOException {
        for (LiveCommand command :
                List.of(new ReportCommand(), new MapCommand(), new TopCommand())) {
            LiveRun run = LiveRun.of(command, target.pid(), "--json", "--pool", "beta #2");
            JsonNode pools = new ObjectMapper().readTree(run.out()).get("pools");
            assertThat(pools).hasSize(1);
            assertThat(pools.get(0).get("number").asInt()).isEqualTo(2);
        }
        LiveRun first = LiveRun.of(new ReportCommand(), target.pid(), "--pool", "beta #1");
        assertThat(first.out()).contains("pools: 1\n", "\n\nPool beta\n").doesNotContain("#2");
        LiveRun both = LiveRun.of(new ReportCommand(), target.pid(), "--pool", "beta");
        assertThat(both.out()).contains("pools: 2\n");
        LiveRun none = LiveRun.of(new ReportCommand(), target.pid(), "--pool", "beta #3");
        assertThat(none.err()).contains(" has no pool 'beta #3'; there are: alpha, beta, ");
        assertThat(none.exitCode()).isEqualTo(17);
    }

    @Test
    void report_ofOnePool_isOfItAlone() {
        LiveRun run = LiveRun.of(new ReportCommand(), target.pid(), "--pool", "alpha");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("pools: 1\n", "\n\nPool alpha\n").doesNotContain("beta");
    }

    @Test
    void report_asJson_hasAllFigures() throws IOException {
        LiveRun run = LiveRun.of(new ReportCommand(), target.pid(), "--json");
        assertThat(run.exitCode()).isZero();
        JsonNode all = new ObjectMapper().readTree(run.out());
        assertThat(all.get("pid").asText()).isEqualTo(target.pid());
        assertThat(all.get("pools")).hasSize(POOLS);
        JsonNode alpha = all.get("pools").get(0);
        assertThat(alpha.get("name").asText()).isEqualTo("alpha");
        JsonNode statistics = alpha.get("statistics");
        assertThat(statistics.get("usedBytes").asLong()).isGreaterThan(6 << 20);
        assertThat(statistics.get("freeChunks")).hasSize(13);
        assertThat(statistics.get("pages").get("takenBytes").asLong()).isEqualTo(6 << 20);
        assertThat(statistics.get("leaks").get("detection").asText()).isEqualTo("OFF");
        assertThat(alpha.get("shrinkers")).hasToString("[\"cache of alpha\"]");
        assertThat(all.get("pools").get(4).get("name").asText())
                .isEqualTo("evil\u001b[31m\nPool x");
    }

    @Test
    void report_asPage_hasEachPool(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("pools.html");
        LiveRun run = LiveRun.of(new ReportCommand(), target.pid(), "--html", file.toString());
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEmpty();
        String page = Files.readString(file);
        assertThat(page)
                .contains("committed memory are in use, in 5 pools.")
                .contains("Pool alpha</h2>")
                .contains("cache of alpha")
                .contains("Pool beta #2</h2>")
                .contains("All pools</h2>")
                .containsPattern("<th scope=\"row\">beta #2</th>.*>off</td>")
                .contains("Pages: 1 page, 6.00 MB")
                .doesNotContain(ESCAPE);
        assertThat(page.length()).isLessThan(1 << 20);
    }

    @Test
    void report_asPageThatCannotBe_isRefused(@TempDir Path directory) {
        String nowhere = directory.resolve("none/pools.html").toString();
        LiveRun run = LiveRun.of(new ReportCommand(), target.pid(), "--html", nowhere);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--html names a file in a directory that exists");
        LiveRun both = LiveRun.of(new ReportCommand(), target.pid(), "--json", "--html", nowhere);
        assertThat(both.exitCode()).isEqualTo(2);
        assertThat(both.err()).contains("--html and --json exclude each other");
    }

    @Test
    void report_asPageThatCannotBeWritten_isSaid(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("pools.html");
        Files.createSymbolicLink(file, directory.resolve("none/pools.html"));
        LiveRun run = LiveRun.of(new ReportCommand(), target.pid(), "--html", file.toString());
        assertThat(run.err())
                .startsWith("polder: " + file + " could not be written: ")
                .contains("NoSuchFileException")
                .hasLineCount(1);
        assertThat(run.exitCode()).isEqualTo(5);
    }

    @Test
    void json_toAFile_isThereBesidesTheText(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("pools.json");
        for (LiveCommand command :
                List.of(new ReportCommand(), new MapCommand(), new TopCommand())) {
            LiveRun run = LiveRun.of(command, "--json=" + file, target.pid());
            assertThat(run.exitCode()).isZero();
            assertThat(run.out()).contains("alpha", "pools: 5").doesNotContain("{");
            assertThat(new ObjectMapper().readTree(file.toFile()).get("pools")).hasSize(POOLS);
        }
    }

    @Test
    void map_onNoTerminal_isWithoutColours() {
        LiveRun run = LiveRun.of(new MapCommand(), target.pid());
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .contains("\nPool alpha\nA = 4 MiB, B = 2 MiB")
                .contains("\nPool beta #2\n")
                .contains("\nPool evil\\u001b[31m\\u000aPool x\n")
                .containsPattern("(?m)^0x[0-9a-f]+  \\d+K  [A-M]")
                .containsPattern("(?m)^0x[0-9a-f]+  .*Ttt")
                .doesNotContain(ESCAPE);
    }

    @Test
    void map_withColours_hasTheSameLetters() {
        String plain = LiveRun.of(new MapCommand(), target.pid(), "--pool", "alpha").out();
        LiveRun run =
                LiveRun.of(new MapCommand(), target.pid(), "--pool", "alpha", "--color", "always");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains(Colours.USED).contains(Colours.END);
        assertThat(run.out().replaceAll("\u001b\\[\\d*m", "")).isEqualTo(plain);
    }

    @Test
    void map_asJson_isPieces() throws IOException {
        LiveRun run = LiveRun.of(new MapCommand(), target.pid(), "--json", "--pool", "alpha");
        JsonNode pool = new ObjectMapper().readTree(run.out()).get("pools").get(0);
        assertThat(pool.get("name").asText()).isEqualTo("alpha");
        JsonNode area = pool.at("/map/areas/0");
        assertThat(area.get("part").asText()).isEqualTo("chunks");
        long bytes = 0;
        for (JsonNode piece : area.get("pieces")) {
            bytes += pool.at("/map/kinds/" + piece.asInt() + "/bytes").asLong();
        }
        assertThat(bytes).isEqualTo(4 << 20);
    }

    @Test
    void top_once_isOneTable() {
        LiveRun run = LiveRun.of(new TopCommand(), target.pid(), "--once");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines()).hasSize(3 + POOLS);
        assertThat(run.out())
                .contains(" pools: 5, ")
                .contains("  all 5 pools\n", "  alpha\n", "  beta #2\n");
    }

    @Test
    void top_asJson_isOneLook() throws IOException {
        LiveRun run = LiveRun.of(new TopCommand(), target.pid(), "--json", "--pool", "alpha");
        JsonNode pool = new ObjectMapper().readTree(run.out()).get("pools").get(0);
        assertThat(pool.get("usedBytes").asLong()).isGreaterThan(6 << 20);
        assertThat(pool.get("committedTotalBytes").asLong()).isGreaterThan(6 << 20);
    }

    @Test
    void top_asJsonSeveralTimes_isALineEach() throws IOException {
        LiveRun run =
                LiveRun.of(
                        new TopCommand(),
                        target.pid(),
                        "--json",
                        "-n3",
                        "--interval=0.1",
                        "--pool=alpha");
        assertThat(run.exitCode()).isZero();
        List<String> lines = run.out().lines().toList();
        assertThat(lines).hasSize(3);
        for (String line : lines) {
            JsonNode pool = new ObjectMapper().readTree(line).get("pools").get(0);
            assertThat(pool.get("name").asText()).isEqualTo("alpha");
            assertThat(pool.get("leakDetection").asText()).isEqualTo("OFF");
        }
    }

    @Test
    void top_severalTimes_isSoManyTables() {
        LiveRun run =
                LiveRun.of(
                        new TopCommand(),
                        target.pid(),
                        "-n",
                        "2",
                        "--interval=0.1",
                        "--pool=alpha");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out().lines().filter(line -> line.contains("  alpha"))).hasSize(2);
        LiveRun both = LiveRun.of(new TopCommand(), target.pid(), "-n2", "--once");
        assertThat(both.exitCode()).isEqualTo(2);
        assertThat(both.err()).contains("-n and --once cannot both be given: 2");
        LiveRun none = LiveRun.of(new TopCommand(), target.pid(), "-n0");
        assertThat(none.exitCode()).isEqualTo(2);
        assertThat(none.err()).contains("-n must be 1 or more: 0\n");
    }

    @Test
    void diff_ofABaseline_saysWhatHasChanged(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("base.json");
        LiveRun none = LiveRun.of(new DiffCommand(), target.pid(), "--file=" + file);
        assertThat(none.err()).startsWith("polder: there is no baseline; take one by");
        assertThat(none.exitCode()).isEqualTo(1);
        LiveRun base = LiveRun.of(new BaselineCommand(), target.pid(), "--file=" + file);
        assertThat(base.err()).isEmpty();
        assertThat(base.out()).endsWith("Remembered in " + file + "\n");
        LiveRun same = LiveRun.of(new DiffCommand(), target.pid(), "--file=" + file);
        assertThat(same.exitCode()).isZero();
        assertThat(same.out())
                .contains(" pools: 5, changes since ")
                .containsPattern("\n +[0-9.]+M +[0-9.]+M .* off  alpha\n");
        JsonNode pools =
                new ObjectMapper()
                        .readTree(
                                LiveRun.of(
                                                new DiffCommand(),
                                                target.pid(),
                                                "--json",
                                                "--file=" + file)
                                        .out())
                        .get("pools");
        assertThat(pools).hasSize(POOLS);
        assertThat(pools.get(0).get("usedBytesChange").asLong()).isZero();
        LiveRun one = LiveRun.of(new DiffCommand(), target.pid(), "--pool=beta", "--file=" + file);
        assertThat(one.out()).contains(" pools: 2, ", "  all 2 pools\n", "  beta #2\n");
        assertThat(one.out()).doesNotContain("(gone)", "(new)", "all 5 pools", "alpha");
        LiveRun first =
                LiveRun.of(new DiffCommand(), target.pid(), "--pool=beta #1", "--file=" + file);
        assertThat(first.out()).contains(" pools: 1, ", "  beta\n").doesNotContain("(new)");
        Files.writeString(file, "{}");
        LiveRun broken = LiveRun.of(new DiffCommand(), target.pid(), "--file=" + file);
        assertThat(broken.err())
                .isEqualTo(
                        "polder: no baseline, as polder baseline writes it, is in "
                                + file
                                + ": it does not say when it was taken\n");
        Files.writeString(file, "{\n\"takenAt\": oops");
        LiveRun noJson = LiveRun.of(new DiffCommand(), target.pid(), "--file=" + file);
        assertThat(noJson.err()).endsWith(file + ": it is no JSON, from line 2 on\n");
        Files.write(file, new byte[] {(byte) 0xff});
        LiveRun noText = LiveRun.of(new DiffCommand(), target.pid(), "--file=" + file);
        assertThat(noText.err()).endsWith(file + ": it is no text\n");
        LiveRun noFile = LiveRun.of(new DiffCommand(), target.pid(), "--file=" + directory);
        assertThat(noFile.err())
                .startsWith("polder: no baseline, as polder baseline writes it, is in " + directory)
                .contains(": it cannot be read: ");
    }

    /** What it was not asked for is no news. */
    @Test
    void diff_ofABaselineOfSomePools_isOfThese(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("base.json");
        LiveRun base =
                LiveRun.of(new BaselineCommand(), target.pid(), "--pool=beta", "--file=" + file);
        assertThat(base.exitCode()).isZero();
        LiveRun diff = LiveRun.of(new DiffCommand(), target.pid(), "--file=" + file);
        assertThat(diff.out()).contains(" pools: 2, ", "  all 2 pools\n", "  beta #2\n");
        assertThat(diff.out()).doesNotContain("(gone)", "(new)", "alpha");
        LiveRun json = LiveRun.of(new DiffCommand(), target.pid(), "--json", "--file=" + file);
        assertThat(new ObjectMapper().readTree(json.out()).get("pools")).hasSize(2);
        LiveRun other =
                LiveRun.of(new DiffCommand(), target.pid(), "--pool=alpha", "--file=" + file);
        assertThat(other.out()).contains(" pools: 1, ", "  alpha (new)\n").doesNotContain("beta");
    }

    /** A slip of the finger destroys nothing; the same baseline can be taken again. */
    @Test
    void baseline_intoAFile_replacesABaselineAndNothingElse(@TempDir Path directory)
            throws IOException {
        Path file = directory.resolve("notes.json");
        for (String other : List.of("{\"my\": \"notes\"}", "some text\n")) {
            Files.writeString(file, other);
            LiveRun refused = LiveRun.of(new BaselineCommand(), target.pid(), "--file=" + file);
            assertThat(refused.exitCode()).isEqualTo(2);
            assertThat(refused.err())
                    .contains("only a baseline is replaced, and there is something else: " + file);
            assertThat(file).hasContent(other);
        }
        for (String mine :
                List.of("", LiveRun.of(new TopCommand(), target.pid(), "--json").out())) {
            Files.writeString(file, mine);
            int code = LiveRun.of(new BaselineCommand(), target.pid(), "--file=" + file).exitCode();
            assertThat(code).isEqualTo(mine.isEmpty() ? 0 : 2);
        }
        Files.delete(file);
        for (int again = 0; again < 2; again++) {
            LiveRun taken = LiveRun.of(new BaselineCommand(), target.pid(), "--file=" + file);
            assertThat(taken.err()).isEmpty();
            assertThat(taken.exitCode()).isZero();
        }
        assertThat(file).content().contains("takenAt");
    }

    @Test
    void leaks_whereNobodyLooks_areOffAndCanBeSwitchedOn() throws Exception {
        LiveRun off = LiveRun.of(new LeaksCommand(), target.pid(), "--pool=alpha");
        assertThat(off.err()).isEmpty();
        assertThat(off.out())
                .contains("\nPool alpha\n  off: nothing is watched; --watch=sampled switches");
        try (TargetJvm jvm = TargetJvm.start("leaking", "leak:leaking")) {
            awaitPools(jvm, 2);
            LiveRun on = LiveRun.of(new LeaksCommand(), jvm.pid(), "--watch=all");
            assertThat(on.err()).isEmpty();
            assertThat(on.out()).contains("every arena, page and heap is watched (all)");
            jvm.go();
            LiveRun found = LiveRun.of(new LeaksCommand(), jvm.pid(), "--gc", "--pool=leaking");
            long start = System.nanoTime();
            while (!found.out().contains("  7 found") && System.nanoTime() - start < LOOKS_NANOS) {
                found = LiveRun.of(new LeaksCommand(), jvm.pid(), "--gc", "--pool=leaking");
            }
            assertThat(found.out())
                    .contains("  7 found, ")
                    .containsPattern("  7 x shared arena, 7.0K, last by thread main:\n")
                    .contains("      at io.polder.tools.live.LiveTarget.leak(LiveTarget.java:");
            LiveRun json = LiveRun.of(new LeaksCommand(), jvm.pid(), "--json", "--pool=leaking");
            JsonNode pool = new ObjectMapper().readTree(json.out()).get("pools").get(0);
            assertThat(pool.get("found").asLong()).isEqualTo(7);
            assertThat(pool.get("sites").get(0).get("count").asLong()).isEqualTo(7);
            assertThat(pool.get("detection").asText()).isEqualTo("all");
        }
    }

    @Test
    void leaks_jvmThatCollectsNothingWhenAsked_isSaid() throws Exception {
        try (TargetJvm jvm = TargetJvm.start(List.of("-XX:+DisableExplicitGC"), "pool")) {
            awaitPools(jvm, 2);
            LiveRun run = LiveRun.of(new LeaksCommand(), jvm.pid(), "--gc");
            assertThat(run.exitCode()).isZero();
            assertThat(run.err()).contains(jvm.pid(), "-XX:+DisableExplicitGC").hasLineCount(1);
        }
    }

    @Test
    void json_ofEachCommand_tellsPoolsOfOneNameApart() throws IOException {
        for (LiveCommand command :
                List.of(new ReportCommand(), new MapCommand(), new TopCommand())) {
            LiveRun run = LiveRun.of(command, target.pid(), "--json");
            JsonNode pools = new ObjectMapper().readTree(run.out()).get("pools");
            List<String> names = new ArrayList<>();
            pools.forEach(
                    pool ->
                            names.add(
                                    pool.get("name").asText() + " " + pool.path("number").asInt()));
            assertThat(names)
                    .as(command.getClass().getSimpleName())
                    .containsExactly(
                            "alpha 0", "beta 0", "beta 2", "common 0", "evil\u001b[31m\nPool x 0");
        }
    }

    @Tag("full")
    @Test
    void top_nobodyReadsIt_ends() throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(
                        PolderProcess.java().toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.polder.tools.Main",
                        "top",
                        target.pid(),
                        "--interval",
                        "0.1");
        Process top = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            BufferedReader out = top.inputReader();
            assertThat(PolderProcess.line(top, out)).startsWith("PID " + target.pid());
            out.close();
            assertThat(top.waitFor(300, TimeUnit.SECONDS)).isTrue();
            assertThat(top.exitValue()).isZero();
        } finally {
            top.destroyForcibly();
        }
    }

    /** What a census needs is not what a report needs. */
    @Tag("full")
    @Test
    void report_ofJvmThatTakesNoAgent_isPrinted() throws IOException {
        try (TargetJvm jvm = TargetJvm.start(List.of("-XX:-EnableDynamicAgentLoading"), "gamma")) {
            awaitPools(jvm, 2);
            LiveRun run = LiveRun.of(new ReportCommand(), jvm.pid(), "--pool", "gamma");
            assertThat(run.err()).isEmpty();
            assertThat(run.exitCode()).isZero();
        }
    }

    @Tag("full")
    @Test
    void top_untilTheJvmEnds_saysSoAtTheEnd() throws Exception {
        try (TargetJvm ending = TargetJvm.start("gamma")) {
            CompletableFuture<LiveRun> top =
                    CompletableFuture.supplyAsync(
                            () -> LiveRun.of(new TopCommand(), ending.pid(), "--interval", "0.1"));
            LiveRun _ = LiveRun.of(new ReportCommand(), ending.pid()); // two may look at a time
            ending.end();
            LiveRun run = top.get();
            // It may have been too late to begin, or in time to see it without memory or sockets.
            assertThat(run.exitCode()).isIn(10, 11, 15, 16);
            assertThat(run.err()).contains(ending.pid());
        }
    }

    @Tag("full")
    @Test
    void top_running_printsTableAfterTable() throws Exception {
        try (TargetJvm ending = TargetJvm.start("gamma")) {
            StoppableOutput out = new StoppableOutput(3, ending::end);
            LiveRun run = out.run(new TopCommand(), ending.pid(), "--interval", "0.1");
            assertThat(run.exitCode()).isEqualTo(16);
            assertThat(run.err())
                    .isEqualTo("polder: process " + ending.pid() + " ended meanwhile\n");
            assertThat(run.out().lines().filter(line -> line.endsWith("  gamma")))
                    .hasSizeGreaterThanOrEqualTo(3);
        }
    }

    @Tag("full")
    @Test
    void aThousandPools_areAllReported() throws IOException {
        try (TargetJvm many = TargetJvm.start("count:1000")) {
            awaitPools(many, 1001);
            LiveRun report = LiveRun.of(new ReportCommand(), many.pid());
            assertThat(report.exitCode()).isZero();
            assertThat(report.out()).contains("pools: 1001\n");
            assertThat(report.out().lines().filter(line -> line.startsWith("Pool pool ")))
                    .hasSize(1000);
        }
    }
}
