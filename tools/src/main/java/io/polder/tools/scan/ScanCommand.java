package io.polder.tools.scan;

import io.polder.tools.result.Environment;
import io.polder.tools.terminal.JsonOption;
import io.polder.tools.terminal.Progress;
import io.polder.tools.terminal.UnwrittenException;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

/** {@code polder scan PATH...}: finds every use of native memory, and whether arenas are closed. */
@Command(
        name = "scan",
        description =
                "Finds every use of native memory in class files, without running them: arenas and"
                        + " what becomes of each, allocators, reinterpret, Unsafe.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:it was scanned, what was left out is listed, and there is nothing that --fail-on"
                    + " names",
            "1:something was found that --fail-on names",
            "2:the command line is wrong, or a PATH holds nothing that can be read",
            "5:something could not be written"
        },
        exitCodeOnExecutionException = CommandLine.ExitCode.USAGE)
public final class ScanCommand implements Callable<Integer> {
    private static final int OK = 0;
    private static final int FOUND = 1;
    private static final int USAGE = CommandLine.ExitCode.USAGE;

    private final Progress progress;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Parameters(
            arity = "1..*",
            paramLabel = "PATH",
            description =
                    "Jar, jmod, class file, folder of any of them, or the JDK that runs: jrt: for"
                            + " all of it, jrt:/java.base for a module. Jars in jars are scanned,"
                            + " too.")
    private List<String> paths = new ArrayList<>();

    @Option(names = "--list", description = "Print every use, with class, method and line.")
    private boolean list;

    @Mixin private JsonOption json = new JsonOption();

    @Option(
            names = "--kinds",
            paramLabel = "KIND",
            split = ",",
            converter = UseKind.Converter.class,
            description = "Look for these only: ${COMPLETION-CANDIDATES}.")
    private Set<UseKind> kinds = EnumSet.allOf(UseKind.class);

    @Option(
            names = "--fail-on",
            paramLabel = "WHAT",
            split = ",",
            converter = FailOn.Converter.class,
            description = "Exit with 1 if there is any of: ${COMPLETION-CANDIDATES}.")
    private Set<FailOn> failOn = EnumSet.noneOf(FailOn.class);

    /** Creates the command. */
    public ScanCommand(Progress progress) {
        this.progress = progress;
    }

    @Override
    public Integer call() throws InterruptedException {
        json.check(spec);
        failOn.forEach(this::checkLookedFor);
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        List<PathResult> results;
        try {
            results = scan(sources());
        } catch (UnusableException e) {
            err.println(e.getMessage());
            return USAGE;
        } finally {
            progress.clear();
        }
        if (!json.isPrinted()) {
            out.print(ScanText.of(results, kinds, list));
            out.flush();
        }
        if (json.isGiven()) {
            try {
                Environment environment = Environment.detect(List.of());
                json.write(ScanJson.of(results, kinds, environment), out);
            } catch (UnwrittenException e) {
                err.println(e.getMessage());
                return UnwrittenException.EXIT_CODE;
            }
        }
        // Nothing but JSON is in what a program reads.
        PrintWriter notes = json.isPrinted() ? err : out;
        if (json.isGiven() && !json.isPrinted()) {
            notes.println();
            notes.println("Written to " + json.file());
        }
        return exitCode(results, notes, err);
    }

    /** All of them are looked at before the first is scanned. */
    private List<Source> sources() throws UnusableException {
        List<Source> sources = new ArrayList<>();
        for (String path : paths) {
            sources.add(Sources.of(path));
        }
        return sources;
    }

    private List<PathResult> scan(List<Source> sources) throws InterruptedException {
        List<PathResult> results = new ArrayList<>();
        List<Span> spans = Span.ALL.split(sources.stream().map(_ -> 1L).toList());
        try (Scanner scanner = new Scanner(kinds, progress)) {
            for (int i = 0; i < sources.size(); i++) {
                results.add(scanner.scan(paths.get(i), sources.get(i), spans.get(i)));
            }
        }
        return results;
    }

    private int exitCode(List<PathResult> results, PrintWriter out, PrintWriter err) {
        int exitCode = OK;
        ArtifactResult total =
                ArtifactResult.total(
                        results.stream().flatMap(path -> path.artifacts().stream()).toList());
        for (FailOn what : failOn) {
            long count = what.count(total);
            if (count > 0) {
                out.println();
                out.println("--fail-on " + what + ": " + count + " found");
                exitCode = FOUND;
            }
        }
        for (PathResult path : results) {
            if (path.isUnusable()) {
                err.println(path.path() + ": nothing in it can be read");
                exitCode = USAGE;
            }
        }
        if (results.stream().allMatch(PathResult::isEmpty)) {
            err.println("No PATH holds a class file that can be read");
            exitCode = USAGE;
        }
        return exitCode;
    }

    private void checkLookedFor(FailOn what) {
        Set<UseKind> needed = what.kinds();
        if (!needed.isEmpty() && Collections.disjoint(needed, kinds)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--fail-on " + what + " needs one of these kinds: " + UseKind.labels(needed));
        }
    }
}
