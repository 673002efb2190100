package io.polder.tools.live;

import io.polder.tools.attach.AttachException;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import javax.management.openmbean.CompositeData;

/** {@code polder diff PID}: what has changed since {@code polder baseline PID}. */
@Command(
        name = "diff",
        description =
                "Prints what has changed in the pools of a running JVM since polder baseline, as"
                        + " jcmd VM.native_memory does.")
public final class DiffCommand extends LiveCommand {
    @Option(
            names = "--file",
            paramLabel = "FILE",
            description =
                    "What polder baseline has written; by default the last one of the process.")
    private @Nullable Path file;

    private Baseline before = new Baseline(Instant.EPOCH, null, List.of());
    private final Map<String, Sample> earlier = new HashMap<>();

    /** The command, without arguments yet. */
    public DiffCommand() {}

    @Override
    void check() {
        if (file == null && !Baseline.hasDirectory()) {
            throw usage(Baseline.NO_DIRECTORY);
        }
    }

    @Override
    void prepare(LiveJvm jvm, List<LivePool> pools) throws AttachException {
        Baseline all = Baseline.read(file == null ? Baseline.place(jvm.pid()) : file);
        String asked = pool() == null ? all.pool() : pool();
        before =
                new Baseline(
                        all.takenAt(),
                        asked,
                        all.pools().stream().filter(pool -> isOf(asked, pool.label())).toList());
        before.pools().forEach(pool -> earlier.put(pool.label(), pool));
    }

    /** Whether it is asked for: by this command, or else by the one that took the baseline. */
    private boolean isCovered(LivePool pool) {
        return isOf(before.pool(), pool.label());
    }

    @Override
    void show(LiveJvm jvm, List<LivePool> pools) throws AttachException {
        List<Sample> now = samples(pools.stream().filter(this::isCovered).toList());
        out().println(
                        jvm.title()
                                + ", pools: "
                                + now.size()
                                + ", changes since "
                                + before.takenAt());
        out().println();
        out().print(DiffTable.text(before.pools(), now));
        out().flush();
    }

    @Override
    boolean describe(LivePool pool, Map<String, Object> map) throws AttachException {
        return isCovered(pool) && super.describe(pool, map);
    }

    @Override
    void describe(LivePool pool, CompositeData statistics, Map<String, Object> map) {
        Sample now = Sample.of(pool.label(), statistics, System.nanoTime());
        Sample then = earlier.getOrDefault(now.label(), DiffTable.nothing(now.label()));
        map.put("usedBytes", now.usedBytes());
        map.put("usedBytesChange", now.usedBytes() - then.usedBytes());
        map.put("committedBytes", now.committedBytes());
        map.put("committedBytesChange", now.committedBytes() - then.committedBytes());
        map.put("reservedBytes", now.reservedBytes());
        map.put("reservedBytesChange", now.reservedBytes() - then.reservedBytes());
        map.put("new", !earlier.containsKey(now.label()));
    }
}
