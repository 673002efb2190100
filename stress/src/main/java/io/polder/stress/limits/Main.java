package io.polder.stress.limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * {@code Main [SCENARIO...]}: runs a process under each limit and compares what it tells with what
 * is expected. Exit code 0 if all is as expected and the canary is not.
 */
final class Main {
    private static final long TIMEOUT_SECONDS = 180;

    /** So that the JVM takes about as much of a limit on any machine. */
    private static final List<String> FLAGS =
            List.of(
                    "-Xmx128m",
                    "-XX:+UseSerialGC",
                    "-XX:CompressedClassSpaceSize=64m",
                    "-XX:ReservedCodeCacheSize=64m",
                    "-XX:-CreateCoredumpOnCrash",
                    "--enable-native-access=ALL-UNNAMED");

    private Main() {}

    /** The scenarios by name, or all of them. */
    public static void main(String[] args) throws IOException, InterruptedException {
        List<Scenario> scenarios = new ArrayList<>();
        for (String name : args) {
            scenarios.add(Scenario.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_')));
        }
        int failures = 0;
        for (Scenario scenario : scenarios.isEmpty() ? List.of(Scenario.values()) : scenarios) {
            List<String> wrong = run(scenario);
            boolean fails = !wrong.isEmpty();
            boolean good = fails == (scenario == Scenario.CANARY);
            System.out.printf(
                    "  %-24s %s%n",
                    scenario.name().toLowerCase(Locale.ROOT).replace('_', '-'),
                    good ? "as expected" : "NOT as expected");
            if (!good) {
                wrong.forEach(line -> System.out.println("    " + line));
                failures++;
            }
        }
        System.out.println(failures == 0 ? "limits: all as expected" : "limits: FAILED");
        System.exit(failures == 0 ? 0 : 1);
    }

    /** What was not as expected. */
    private static List<String> run(Scenario scenario) throws IOException, InterruptedException {
        Path output = Files.createTempFile("polder-limits", ".out");
        Process process =
                builder(scenario).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        boolean ended = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly().waitFor();
        }
        List<String> told = Files.readAllLines(output);
        Files.delete(output);
        if (!ended || process.exitValue() != 0) {
            List<String> wrong = new ArrayList<>(told);
            wrong.add(ended ? "exit code " + process.exitValue() : "did not end");
            return wrong;
        }
        List<String> wrong = new ArrayList<>(scenario.facts);
        wrong.removeAll(told);
        if (!wrong.isEmpty()) {
            wrong.addFirst("expected, and not told:");
            wrong.add("told: " + told);
        }
        return wrong;
    }

    private static ProcessBuilder builder(Scenario scenario) {
        String limit = scenario.limit.shell();
        List<String> command = new ArrayList<>();
        // The shell replaces itself, and hands its limits on.
        command.addAll(
                List.of("sh", "-c", (limit.isEmpty() ? "" : limit + " && ") + "exec \"$@\""));
        command.add("sh");
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(Child.class.getName(), scenario.name()));
        ProcessBuilder builder = new ProcessBuilder(command);
        // Else the C library takes 64 MiB for each of many threads.
        builder.environment().put("MALLOC_ARENA_MAX", "1");
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        return builder;
    }
}
