package io.polder.tools.result;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where and on what something was measured: without this a figure means nothing.
 *
 * <p>Whatever a system does not tell is {@value #UNKNOWN}; nothing here fails a measurement.
 *
 * @param date start of the measurement, UTC
 * @param commit commit of the sources, with {@code +changes} where they differ from it
 * @param jvm name, version and vendor of the JVM
 * @param jvmArgs arguments of the JVMs that were measured
 * @param cpu model of the processor
 * @param cores processors available to the JVM
 * @param kernel operating system, its version and architecture
 * @param transparentHugePages the kernel's setting: always, madvise or never
 */
public record Environment(
        Instant date,
        String commit,
        String jvm,
        List<String> jvmArgs,
        String cpu,
        int cores,
        String kernel,
        String transparentHugePages) {

    /** Stands for what the system does not tell. */
    public static final String UNKNOWN = "unknown";

    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
    private static final Path HUGE_PAGES = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

    /** x86 names the model; aarch64 only numbers it. */
    private static final List<Pattern> CPU_MODEL =
            List.of(
                    Pattern.compile("(?m)^model name\\s*:\\s*(.+)$"),
                    Pattern.compile("(?m)^Model\\s*:\\s*(.+)$"),
                    Pattern.compile("(?m)^CPU part\\s*:\\s*(.+)$"));

    private static final Pattern CHOSEN = Pattern.compile("\\[(\\w+)]");

    /** Git answers from the file system; longer means that something is wrong with it. */
    private static final long GIT_TIMEOUT_SECONDS = 5;

    /** Copies the arguments. */
    public Environment {
        jvmArgs = List.copyOf(jvmArgs);
    }

    /**
     * Looks at the machine, the running JVM and the sources.
     *
     * @param jvmArgs arguments of the JVMs that are measured
     */
    public static Environment detect(List<String> jvmArgs) {
        return new Environment(
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                commitOfSources(),
                property("java.vm.name")
                        + " "
                        + property("java.vm.version")
                        + " ("
                        + property("java.vendor")
                        + ")",
                jvmArgs,
                cpuModel(),
                Runtime.getRuntime().availableProcessors(),
                property("os.name") + " " + property("os.version") + " " + property("os.arch"),
                firstGroup(CHOSEN, read(HUGE_PAGES)));
    }

    /** The same environment with other arguments of the JVMs that were measured. */
    public Environment withJvmArgs(List<String> args) {
        return new Environment(date, commit, jvm, args, cpu, cores, kernel, transparentHugePages);
    }

    /** The form in which results keep it. */
    public Map<String, Object> toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("date", date.toString());
        json.put("commit", commit);
        json.put("jvm", jvm);
        json.put("jvm_args", jvmArgs);
        json.put("cpu", cpu);
        json.put("cores", cores);
        json.put("kernel", kernel);
        json.put("transparent_huge_pages", transparentHugePages);
        return json;
    }

    private static String cpuModel() {
        String text = read(CPU_INFO);
        for (Pattern pattern : CPU_MODEL) {
            String model = firstGroup(pattern, text);
            if (!model.equals(UNKNOWN)) {
                return model;
            }
        }
        return UNKNOWN;
    }

    /** Asks git about the directory that this class was built in, wherever the caller works. */
    private static String commitOfSources() {
        Path directory = home();
        if (directory == null) {
            return UNKNOWN;
        }
        String head = git(directory, "rev-parse", "--short=12", "HEAD");
        if (head.isEmpty()) {
            return UNKNOWN;
        }
        boolean changed = !git(directory, "status", "--porcelain", "-uno").isEmpty();
        return changed ? head + "+changes" : head;
    }

    private static @Nullable Path home() {
        CodeSource source = Environment.class.getProtectionDomain().getCodeSource();
        if (source == null) {
            return null;
        }
        try {
            return Path.of(source.getLocation().toURI()).getParent();
        } catch (URISyntaxException e) {
            return null;
        }
    }

    private static String git(Path directory, String... arguments) {
        try {
            ProcessBuilder builder =
                    new ProcessBuilder("git")
                            .directory(directory.toFile())
                            .redirectError(ProcessBuilder.Redirect.DISCARD);
            builder.command().addAll(List.of(arguments));
            Process git = builder.start();
            git.getOutputStream().close();
            FutureTask<String> answer =
                    new FutureTask<>(
                            () ->
                                    new String(
                                            git.getInputStream().readAllBytes(),
                                            StandardCharsets.UTF_8));
            // A daemon: what git has started may write on, or nothing and never end.
            Thread.ofPlatform().daemon().name("polder-git").start(answer);
            try {
                String text = answer.get(GIT_TIMEOUT_SECONDS, TimeUnit.SECONDS);
                boolean ended = git.waitFor(GIT_TIMEOUT_SECONDS, TimeUnit.SECONDS);
                return ended && git.exitValue() == 0 ? text.strip() : "";
            } finally {
                git.destroyForcibly();
            }
        } catch (IOException | ExecutionException | TimeoutException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }

    private static String firstGroup(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1).strip() : UNKNOWN;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    private static String property(String name) {
        return System.getProperty(name, UNKNOWN);
    }
}
