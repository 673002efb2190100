package io.polder.lab;

import io.polder.lab.harness.Context;
import io.polder.lab.harness.Experiment;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.InputException;
import io.polder.lab.harness.MachineLoad;
import io.polder.lab.report.Report;
import io.polder.lab.report.ReportJson;
import io.polder.lab.report.ReportPage;
import io.polder.lab.report.ReportText;
import io.polder.tools.html.HtmlReport;
import io.polder.tools.result.Environment;
import io.polder.tools.terminal.JsonOption;
import io.polder.tools.terminal.OutputFile;
import io.polder.tools.terminal.Progress;
import io.polder.tools.terminal.UnwrittenException;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * {@code polder lab NAME}: runs an experiment, or all, prints its tables and writes its metrics.
 */
@Command(
        name = io.polder.tools.Main.LAB_NAME,
        description = io.polder.tools.Main.LAB_DESCRIPTION,
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:the experiment ran, whether or not it reached its goals",
            "1:an experiment failed",
            "2:the command line is wrong, or a file that it names",
            "5:something could not be written"
        })
final class LabCommand implements Callable<Integer> {
    static final int OK = 0;
    static final int FAILURE = 1;
    static final int USAGE = CommandLine.ExitCode.USAGE;

    private final Experiments experiments;
    private final Progress progress;
    private final Supplier<Optional<MachineLoad>> load;

    @Spec private CommandSpec spec = CommandSpec.create();

    /** What a shell offers as the name of an experiment. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Experiments.ALL.names().iterator();
        }
    }

    @Parameters(
            index = "0",
            paramLabel = "NAME",
            completionCandidates = Names.class,
            description = {
                "Experiment: confined, fragmentation, elasticity,",
                "pages, evacuation, netty, blocks, cache, replay;",
                "or all of them that need no FILE. cache downloads",
                "the caches of others, unless it is part of all."
            })
    private String name = "";

    @Parameters(
            index = "1..*",
            paramLabel = "NAME|FILE",
            description = {
                "Further experiments; or for replay, logs of a JVM",
                "with -Xlog:metaspace*=trace, plain or gz."
            })
    private List<String> others = new ArrayList<>();

    private final List<Path> files = new ArrayList<>();

    @Option(
            names = "--quick",
            description = "At most two minutes per experiment on two cores; wider spread.")
    private boolean quick;

    @Option(
            names = "--goals",
            description = "Say what was to be reached, and whether it was; --json always does.")
    private boolean goals;

    @Mixin private JsonOption json = new JsonOption();

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write a page with charts to FILE, for a browser.")
    private @Nullable Path html;

    @Option(
            names = "--csv",
            paramLabel = "DIR",
            description = "elasticity, pages, evacuation, netty, blocks: write all samples to DIR.")
    private @Nullable Path csv;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Decides everything drawn at random (default: ${DEFAULT-VALUE}).")
    private long seed;

    LabCommand(Experiments experiments, Progress progress) {
        this(experiments, progress, MachineLoad::now);
    }

    /** With a load that was made up, for tests. */
    LabCommand(Experiments experiments, Progress progress, Supplier<Optional<MachineLoad>> load) {
        this.experiments = experiments;
        this.progress = progress;
        this.load = load;
    }

    @Override
    public Integer call() throws InterruptedException {
        List<Experiment> chosen = chosen();
        checkFiles(chosen);
        json.check(spec);
        Path page = html;
        if (page != null) {
            // Minutes of measuring are not to end in a file that cannot be written.
            JsonOption.checkWritable(spec, "--html", page);
        }
        Path directory = csv;
        if (directory != null) {
            checkCsv(directory, chosen);
        }
        PrintWriter out =
                json.isPrinted()
                        ? new PrintWriter(Writer.nullWriter())
                        : spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        Environment environment = Environment.detect(List.of());
        Map<Experiment, Report> reports = new LinkedHashMap<>();
        int code = FAILURE;
        try {
            for (Experiment experiment : chosen) {
                Progress shown = shown(experiment, reports.size(), chosen.size());
                reports.put(experiment, run(experiment, shown, out, environment));
                // At once: what has ended is there, whatever becomes of the others.
                write(reports, environment);
            }
            code = OK;
        } catch (InputException e) {
            progress.clear();
            err.println(e.getMessage());
            code = USAGE;
        } catch (ExperimentException e) {
            progress.clear();
            err.println(e.getMessage());
        } catch (UnwrittenException e) {
            progress.clear();
            err.println(e.getMessage());
            code = UnwrittenException.EXIT_CODE;
        }
        if (json.isPrinted() && !reports.isEmpty()) {
            json.print(json(reports, environment), spec.commandLine().getOut());
        }
        if (code != UnwrittenException.EXIT_CODE) {
            tellFiles(reports, chosen, out);
        }
        return code;
    }

    /** The experiments that are named, each once; what follows them is files. */
    private List<Experiment> chosen() {
        Set<Experiment> all = new LinkedHashSet<>(experiments.named(name));
        if (all.isEmpty()) {
            throw usage(
                    "Unknown experiment '"
                            + name
                            + "'; there are: "
                            + String.join(", ", experiments.names()));
        }
        List<String> names = new ArrayList<>(List.of(name));
        files.clear();
        for (String other : others) {
            List<Experiment> more = files.isEmpty() ? experiments.named(other) : List.of();
            if (more.isEmpty()) {
                files.add(Path.of(other));
            } else {
                all.addAll(more);
                names.add(other);
            }
        }
        name = String.join(" ", names);
        return List.copyOf(all);
    }

    /** Says which of several experiments is running. */
    private Progress shown(Experiment experiment, int before, int count) {
        return count == 1
                ? progress
                : new Progress() {
                    @Override
                    public void show(String step, double done) {
                        progress.show(experiment.name() + ": " + step, (before + done) / count);
                    }

                    @Override
                    public void clear() {
                        progress.clear();
                    }
                };
    }

    private Report run(
            Experiment experiment, Progress shown, PrintWriter out, Environment environment)
            throws ExperimentException, UnwrittenException, InterruptedException {
        out.println(experiment.name() + ": " + experiment.about().description());
        out.println(environment.jvm());
        out.println(
                environment.cpu() + ", " + environment.cores() + " cores, " + environment.kernel());
        out.println("commit " + environment.commit() + ", seed " + seed);
        out.println();
        out.flush();
        Optional<MachineLoad> before = load.get();
        Report found = experiment.run(new Context(quick, seed, files, shown, csv));
        double others =
                before.flatMap(earlier -> load.get().map(now -> now.othersSince(earlier)))
                        .orElse(0.0);
        Report report = found.beside(others);
        progress.clear();
        if (!isPart(report.metricNames(), experiment.metricNames())) {
            throw new AssertionError(
                    "an experiment reports metrics that it names, in order: named="
                            + experiment.metricNames()
                            + ", reported="
                            + report.metricNames());
        }
        out.println(ReportText.of(report, goals, experiment.about().more()));
        out.flush();
        return report;
    }

    /** Whether all names are among others, in the same order. */
    private static boolean isPart(List<String> names, List<String> others) {
        Iterator<String> rest = others.iterator();
        for (String name : names) {
            boolean found = false;
            while (!found && rest.hasNext()) {
                found = rest.next().equals(name);
            }
            if (!found) {
                return false;
            }
        }
        return true;
    }

    /** Writes the files that were asked for. */
    private void write(Map<Experiment, Report> reports, Environment environment)
            throws UnwrittenException {
        json.writeFile(() -> json(reports, environment));
        Path htmlFile = html;
        if (htmlFile != null) {
            List<String> command = spec.commandLine().getParseResult().originalArgs();
            ReportPage page = new ReportPage(command, seed, quick, goals);
            OutputFile.write(
                    htmlFile, HtmlReport.of(page.of(reports, measured(reports, environment))));
        }
    }

    private String json(Map<Experiment, Report> reports, Environment environment) {
        return ReportJson.of(name, seed, measured(reports, environment), reports.values());
    }

    private static Environment measured(Map<Experiment, Report> reports, Environment environment) {
        Set<String> jvmArgs = new LinkedHashSet<>();
        reports.values().forEach(report -> jvmArgs.addAll(report.jvmArgs()));
        return environment.withJvmArgs(List.copyOf(jvmArgs));
    }

    /** Says what was written, and of whom if that is not all. */
    private void tellFiles(
            Map<Experiment, Report> reports, List<Experiment> chosen, PrintWriter out) {
        if (reports.isEmpty()) {
            return;
        }
        String whose =
                reports.size() == chosen.size()
                        ? ""
                        : " of "
                                + reports.keySet().stream()
                                        .map(Experiment::name)
                                        .collect(Collectors.joining(", "));
        if (json.isGiven()) {
            out.println("Metrics" + whose + " written to " + json.file());
        }
        if (html != null) {
            out.println("Page" + whose + " written to " + html);
        }
    }

    /** Files are for experiments that read them, and for those they are needed. */
    private void checkFiles(List<Experiment> chosen) {
        boolean taken = chosen.stream().anyMatch(each -> each.about().takesFiles());
        if (taken && files.isEmpty()) {
            throw usage(
                    name + " needs the FILE that it is to read: ./polder lab " + name + " FILE...");
        }
        if (!taken && !files.isEmpty()) {
            throw usage(name + " reads no files: " + files.getFirst());
        }
    }

    private void checkCsv(Path directory, List<Experiment> chosen) {
        if (chosen.stream().noneMatch(each -> each.about().writesCsv())) {
            throw usage("--csv is for experiments that write raw data; " + name + " does not");
        }
        if (!Files.isDirectory(directory) || !Files.isWritable(directory)) {
            throw usage("--csv names a directory that exists and can be written: " + directory);
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
