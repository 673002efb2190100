package io.polder.bench.report;

import io.polder.bench.JvmFlags;
import io.polder.tools.result.Environment;
import io.polder.tools.result.Json;

import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.format.OutputFormat;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Runs benchmark classes and keeps the results of each in a file of its own, with the environment.
 *
 * <p>Arguments: a directory, then names of benchmark classes (all when there is none), then options
 * of JMH. The file is named {@code <date>-<class>.json}; a second run on the same day replaces it.
 */
public final class RunAndRecord {
    private static final int USAGE = 2;
    private static final int FAILURE = 1;

    private RunAndRecord() {}

    /**
     * See the class. Ends with 0, with 1 if a benchmark failed, with 2 if the arguments are wrong.
     */
    public static void main(String[] args) throws IOException {
        SortedSet<String> known = benchmarkClasses();
        List<String> names = new ArrayList<>();
        int next = 1;
        while (next < args.length && !args[next].startsWith("-")) {
            names.add(args[next++]);
        }
        if (args.length == 0 || !known.containsAll(names)) {
            System.err.println("usage: bench/run [CLASS...] [JMH options], CLASS one of " + known);
            System.exit(USAGE);
        }
        String[] jmhOptions = List.of(args).subList(next, args.length).toArray(String[]::new);
        try {
            for (String name : names.isEmpty() ? known : names) {
                System.out.println("Wrote " + run(name, jmhOptions, Path.of(args[0])));
            }
        } catch (CommandLineOptionException e) {
            System.err.println("JMH does not take these options: " + e.getMessage());
            System.exit(USAGE);
        } catch (RunnerException e) {
            System.err.println("A benchmark failed: " + e.getMessage());
            System.exit(FAILURE);
        }
    }

    private static Path run(String name, String[] jmhOptions, Path directory)
            throws CommandLineOptionException, RunnerException, IOException {
        Environment environment =
                Environment.detect(List.of(JvmFlags.NATIVE_ACCESS, JvmFlags.UNSAFE_ACCESS));
        OptionsBuilder options = new OptionsBuilder();
        options.parent(new CommandLineOptions(jmhOptions));
        options.include("\\." + name + "\\.").shouldFailOnError(true);
        Collection<RunResult> results = new Runner(options.build()).run();

        Map<String, Object> json = new LinkedHashMap<>();
        json.put("benchmark", name);
        json.put("environment", environment.toJson());
        json.put("results", Json.raw(jmhJson(results)));
        LocalDate day = LocalDate.ofInstant(environment.date(), ZoneOffset.UTC);
        Path file = Files.createDirectories(directory).resolve(day + "-" + name + ".json");
        return Files.writeString(file, Json.write(json));
    }

    private static String jmhJson(Collection<RunResult> results) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8)) {
            ResultFormatFactory.getInstance(ResultFormatType.JSON, out).writeOut(results);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Simple names of all classes that hold benchmarks. */
    private static SortedSet<String> benchmarkClasses() {
        OutputFormat silent =
                OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT);
        SortedSet<String> names = new TreeSet<>();
        for (BenchmarkListEntry entry : BenchmarkList.defaultList().getAll(silent, List.of())) {
            String type = entry.getUserClassQName();
            names.add(type.substring(type.lastIndexOf('.') + 1));
        }
        return names;
    }
}
