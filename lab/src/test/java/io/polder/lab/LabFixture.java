package io.polder.lab;

import io.polder.lab.harness.About;
import io.polder.lab.harness.Context;
import io.polder.lab.harness.Experiment;
import io.polder.lab.harness.ExperimentException;
import io.polder.lab.harness.InputException;
import io.polder.lab.harness.MachineLoad;
import io.polder.lab.harness.Quartiles;
import io.polder.lab.report.Goal;
import io.polder.lab.report.Metric;
import io.polder.lab.report.Metric.Better;
import io.polder.lab.report.RawData;
import io.polder.lab.report.Report;
import io.polder.lab.report.ReportSection;
import io.polder.tools.terminal.Progress;
import io.polder.tools.terminal.UnwrittenException;

import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The command with experiments that are made up, and what it prints. */
abstract class LabFixture {
    static final Progress SILENT = progress(_ -> {});

    final List<Context> contexts = new ArrayList<>();
    final List<String> steps = new ArrayList<>();

    /** What the machine is found to do, one after the other; nobody knows if there is no more. */
    final Deque<MachineLoad> loads = new ArrayDeque<>();

    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();

    final int lab(String... args) {
        return polder(Stream.concat(Stream.of("lab"), Stream.of(args)).toArray(String[]::new));
    }

    final int polder(String... args) {
        return command(
                        new Experiments(
                                List.of(
                                        new Fake("one"),
                                        new Fake("two"),
                                        new Fake("reading"),
                                        new Fake("broken"))))
                .execute(args);
    }

    final CommandLine command(Experiments experiments) {
        LabCommand lab =
                new LabCommand(
                        experiments,
                        progress(steps::add),
                        () -> Optional.ofNullable(loads.pollFirst()));
        return io.polder.tools.Main.commandLine(lab, SILENT)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true));
    }

    private static Progress progress(Consumer<String> steps) {
        return new Progress() {
            @Override
            public void show(String step, double done) {
                steps.accept(Math.round(done * 100) + " " + step);
            }

            @Override
            public void clear() {
                // Nothing was shown.
            }
        };
    }

    /** An experiment that takes no time, and fails if its name says so. */
    final class Fake implements Experiment {
        private final String name;

        Fake(String name) {
            this.name = name;
        }

        @Override
        public About about() {
            return new About(
                    name,
                    "what " + name + " costs",
                    name.equals("reading"),
                    name.equals("raw"),
                    name + "-and-more");
        }

        @Override
        public List<String> metricNames() {
            return List.of(name + ".speedup", name + ".ns");
        }

        @Override
        public Report run(Context context) throws ExperimentException, UnwrittenException {
            if (name.equals("broken")) {
                throw new ExperimentException("broken cannot be measured here", null);
            }
            if (context.files().contains(Path.of("bad.log"))) {
                throw new InputException("bad.log, line 1: not a log", null);
            }
            if (name.equals("bug")) {
                throw new IllegalStateException("a bug");
            }
            contexts.add(context);
            context.progress().show("measuring", 0.5);
            Path csv = context.csv();
            if (csv != null && name.equals("raw")) {
                new RawData(List.of("round", "ns")).write(csv, "raw.csv");
            }
            return new Report(
                    List.of(
                            new Metric(
                                    name + ".speedup",
                                    new Quartiles(2, 2.5, 3.5),
                                    Metric.TIMES,
                                    Better.HIGHER),
                            new Metric(name + ".ns", 1, "ns", Better.LOWER)),
                    "table of " + name,
                    List.of("-D" + name),
                    new ReportSection(
                            Character.toUpperCase(name.charAt(0))
                                    + name.substring(1)
                                    + " is 2.5 times as fast.",
                            List.of(
                                    new Goal("speed", ">= 3.0x", "2.5x", false),
                                    new Goal("time", "<= 20 us", "12 us", true)),
                            List.of()));
        }
    }
}
