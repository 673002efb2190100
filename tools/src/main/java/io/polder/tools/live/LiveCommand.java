package io.polder.tools.live;

import io.polder.tools.attach.AttachException;
import io.polder.tools.attach.AttachException.Problem;
import io.polder.tools.attach.Patience;
import io.polder.tools.attach.ProcessOptions;
import io.polder.tools.result.Json;
import io.polder.tools.terminal.JsonOption;
import io.polder.tools.terminal.Printable;
import io.polder.tools.terminal.UnwrittenException;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

import javax.management.openmbean.CompositeData;

/** What the commands that look at a running JVM have in common: its number, and how they end. */
@Command(
        mixinStandardHelpOptions = true,
        sortOptions = false,
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:it was printed",
            "1:something else went wrong, which the message says",
            "2:the command line is wrong",
            "5:it could not be written",
            "10:there is no such process",
            "11:the process is no JVM",
            "12:it belongs to another user, or cannot be looked into",
            "13:it was told to let nobody attach",
            "15:it refuses",
            "16:it went away meanwhile",
            "17:it does not use Polder, or has no such pool",
            "18:it does not answer in time"
        })
abstract class LiveCommand implements Callable<Integer> {
    private static final int OK = 0;

    @Spec private CommandSpec spec = CommandSpec.create();

    @Mixin private ProcessOptions process = new ProcessOptions();

    @Option(
            names = "--pool",
            paramLabel = "NAME",
            description =
                    "Only pools of this name, or the one of this name and number, as 'buffers #2';"
                            + " without it, all.")
    private @Nullable String pool;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public final Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        Patience patience = process.patience(spec);
        json.check(spec);
        check();
        try (LiveJvm jvm = LiveJvm.connect(patience)) {
            run(jvm);
            return OK;
        } catch (UnwrittenException e) {
            err.println("polder: " + e.getMessage());
            err.flush();
            return UnwrittenException.EXIT_CODE;
        } catch (AttachException e) {
            err.println("polder: " + Printable.lines(String.valueOf(e.getMessage())));
            err.flush();
            return e.problem().exitCode();
        }
    }

    /** Checks the options. */
    void check() {}

    /** Does what must be done before pools are looked at. */
    void prepare(LiveJvm jvm, List<LivePool> pools) throws AttachException, UnwrittenException {}

    /** Shows pools on a terminal, or wherever an option says. */
    abstract void show(LiveJvm jvm, List<LivePool> pools)
            throws AttachException, UnwrittenException;

    /** Adds to what JSON says of a pool; false if the pool was closed meanwhile. */
    boolean describe(LivePool pool, Map<String, Object> map) throws AttachException {
        CompositeData statistics = pool.statistics();
        if (statistics == null) {
            return false;
        }
        describe(pool, statistics, map);
        return true;
    }

    /** Adds what the figures of a pool say; by default what {@code polder top} shows. */
    void describe(LivePool pool, CompositeData statistics, Map<String, Object> map) {
        map.putAll(Sample.of(pool.label(), statistics, System.nanoTime()).json());
        map.put("leakDetection", OpenData.word(statistics, "leaks", "detection"));
        map.put("leaked", OpenData.number(statistics, "leaks", "leaked"));
    }

    /** Whether it tells of pools that are gone and left leaks, too. */
    boolean showsFormer() {
        return false;
    }

    /** What is said of pools that are gone; empty if there are none, or others are asked for. */
    final String former(LiveJvm jvm) throws AttachException {
        List<String> lines = pool == null ? jvm.formerLeaks() : List.of();
        return lines.isEmpty()
                ? ""
                : "\nLeaks of pools that are gone:\n  "
                        + Printable.lines(String.join("\n  ", lines))
                        + "\n";
    }

    private void run(LiveJvm jvm) throws AttachException, UnwrittenException {
        List<LivePool> pools = pools(jvm);
        prepare(jvm, pools);
        if (json.isGiven()) {
            writeJson(jvm, pools);
        }
        if (!json.isPrinted()) {
            show(jvm, pools);
        }
    }

    /** Prints or writes what JSON says of pools, one document. */
    void writeJson(LiveJvm jvm, List<LivePool> pools) throws AttachException, UnwrittenException {
        json.write(Json.write(document(jvm, pools)), out());
    }

    /** What JSON says: which process, and of its pools. */
    final Map<String, Object> document(LiveJvm jvm, List<LivePool> pools) throws AttachException {
        List<Map<String, Object>> described = new ArrayList<>();
        for (LivePool each : pools) {
            Map<String, Object> map = each.json();
            if (describe(each, map)) {
                described.add(map);
            }
        }
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("pid", jvm.pid());
        all.put("pools", described);
        if (showsFormer()) {
            all.put("formerLeaks", jvm.formerLeaks());
        }
        return all;
    }

    final CommandLine.ParameterException usage(String message) {
        return new CommandLine.ParameterException(spec.commandLine(), message);
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    final JsonOption json() {
        return json;
    }

    /** Checks that the file of an option can be written. */
    final void checkWritable(String option, Path file) {
        JsonOption.checkWritable(spec, option, file);
    }

    /** The pools that are asked for. */
    private List<LivePool> pools(LiveJvm jvm) throws AttachException {
        List<LivePool> all = jvm.pools();
        List<LivePool> chosen = chosen(all);
        if (chosen.isEmpty()) {
            String names = String.join(", ", all.stream().limit(10).map(LivePool::label).toList());
            throw new AttachException(
                    Problem.NO_POOL,
                    jvm.title()
                            + " has no pool '"
                            + Printable.of(String.valueOf(pool))
                            + "'; there are: "
                            + names
                            + (all.size() > 10 ? ", and " + (all.size() - 10) + " more" : ""));
        }
        return chosen;
    }

    final List<LivePool> chosen(List<LivePool> all) {
        String wanted = pool;
        if (wanted == null) {
            return all;
        }
        List<LivePool> named = all.stream().filter(each -> each.name().equals(wanted)).toList();
        return named.isEmpty()
                ? all.stream().filter(each -> each.numberedName().equals(wanted)).toList()
                : named;
    }

    /** Whether a label is that of a pool that is asked for so, open or not; null asks for all. */
    static boolean isOf(@Nullable String wanted, String label) {
        if (wanted == null) {
            return true;
        }
        String called = Printable.of(wanted);
        return label.equals(called)
                || called.equals(label + " #1") // which is not said of the first
                || label.matches(Pattern.quote(called) + " #[0-9]+");
    }

    /** Which pools are asked for; null for all. */
    final @Nullable String pool() {
        return pool;
    }

    /** What pools hold now; those that were closed meanwhile are left out. */
    static List<Sample> samples(List<LivePool> pools) throws AttachException {
        List<Sample> samples = new ArrayList<>();
        for (LivePool pool : pools) {
            Sample sample = sample(pool);
            if (sample != null) {
                samples.add(sample);
            }
        }
        return samples;
    }

    /** What a pool holds now; null if it was closed meanwhile. */
    static @Nullable Sample sample(LivePool pool) throws AttachException {
        CompositeData statistics = pool.statistics();
        return statistics == null ? null : Sample.of(pool.label(), statistics, System.nanoTime());
    }
}
