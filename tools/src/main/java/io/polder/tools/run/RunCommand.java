package io.polder.tools.run;

import io.polder.tools.attach.AgentJar;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code polder run java ...}: runs a Java command with the agent, in place of this process. */
@Command(
        name = "run",
        description = "Runs a Java command with pooled arenas, without a change to the program.",
        customSynopsis = "polder run [OPTIONS] java ARGUMENT...",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Everything from the word java on is the command's: its options, streams and signals.",
            "Reports go to standard error when the program ends."
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "2:the command line is wrong",
            "126:java cannot be executed",
            "127:there is no such java",
            "*:otherwise that of the command"
        })
public final class RunCommand implements Callable<Integer> {
    static final int USAGE = CommandLine.ExitCode.USAGE;
    static final int NOT_EXECUTABLE = 126;
    static final int NOT_FOUND = 127;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--pool",
            paramLabel = "KIND",
            description =
                    "confined, shared, both or off: which arenas are pooled (default: confined).")
    private @Nullable String pool;

    @Option(names = "--report", description = "Print the pool's report at the end.")
    private boolean report;

    @Option(names = "--census", description = "Count arenas, and print the census at the end.")
    private boolean census;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Count arenas, and write the census to FILE; %%p: the process id.")
    private @Nullable String json;

    @Option(
            names = "--include",
            paramLabel = "PATTERN",
            description = "Only classes of this name: com.acme.*, com.acme.**")
    private List<String> include = new ArrayList<>();

    @Option(names = "--exclude", paramLabel = "PATTERN", description = "No classes of this name.")
    private List<String> exclude = new ArrayList<>();

    @Parameters(arity = "1..*", paramLabel = "java ARGUMENT", description = "The command.")
    private List<String> command = new ArrayList<>();

    /** The command, ready to be added to another one. */
    public static CommandLine commandLine() {
        return new CommandLine(new RunCommand()).setStopAtPositional(true);
    }

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        try {
            JavaLauncher java =
                    JavaLauncher.find(
                            command.getFirst(),
                            System.getenv(),
                            Path.of(System.getProperty("java.home")));
            if (java.note() != null) {
                err.println("polder: " + java.note());
            }
            List<byte[]> words = words(java.file());
            spec.commandLine().getOut().flush();
            err.flush();
            int errno = Exec.replaceProcess(words, ofThisJvm());
            err.println("polder: " + java.file() + " cannot be executed: errno=" + errno);
            return NOT_EXECUTABLE;
        } catch (JavaLauncher.Refused e) {
            err.println("polder: " + e.getMessage());
            return e.exitCode();
        }
    }

    /** The command with the agent; its arguments byte for byte as they came. */
    private List<byte[]> words(Path java) throws JavaLauncher.Refused {
        CommandLine root = spec.root().commandLine();
        RawWords raw = RawWords.ofThisProcess(root.getParseResult().originalArgs());
        List<String> arguments = command.subList(1, command.size());
        raw.checkBefore(arguments.size());
        List<byte[]> words = new ArrayList<>();
        words.add(raw.encode(java.toString()));
        words.add(raw.encode(agent()));
        words.addAll(raw.last(arguments));
        return words;
    }

    /** What this JVM runs from. */
    private static List<Path> ofThisJvm() {
        List<Path> files = new ArrayList<>();
        files.add(Path.of(System.getProperty("java.home")));
        String classPath = System.getProperty("java.class.path", "");
        for (String entry : classPath.split(File.pathSeparator, -1)) {
            Path file = entry.isEmpty() ? null : JavaLauncher.path(entry);
            if (file != null) {
                files.add(file);
            }
        }
        files.replaceAll(RunCommand::real);
        return files;
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.toAbsolutePath();
        }
    }

    /** The option of the JVM. */
    private String agent() {
        Path jar = AgentJar.find();
        if (jar.toString().indexOf('=') >= 0) {
            throw usage("the JVM takes no agent from a path with '=': " + jar);
        }
        List<String> options = new ArrayList<>();
        add(options, "pool", pool);
        add(options, "include", include.isEmpty() ? null : String.join(":", include));
        add(options, "exclude", exclude.isEmpty() ? null : String.join(":", exclude));
        add(options, "census.json", json);
        if (census) {
            options.add("census");
        }
        if (report) {
            options.add("report");
        }
        String all = String.join(",", options);
        return "-javaagent:" + jar + (all.isEmpty() ? "" : "=" + all);
    }

    private void add(List<String> options, String key, @Nullable String value) {
        if (value == null) {
            return;
        }
        if (value.isEmpty() || value.indexOf(',') >= 0 || value.indexOf(';') >= 0) {
            throw usage(key + " must have a value without comma and semicolon: " + value);
        }
        options.add(key + "=" + value);
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
