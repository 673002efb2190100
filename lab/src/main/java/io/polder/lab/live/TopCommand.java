package io.polder.lab.live;

import io.polder.lab.live.LiveException.Reason;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import javax.management.openmbean.CompositeData;

/**
 * {@code polder top PID}: the pools of a running JVM, again and again, the largest first.
 *
 * <p>On a terminal the view fills the {@link Screen} and is drawn anew; elsewhere one table follows
 * the other. It ends when the JVM does, or by Ctrl-C.
 */
@Command(
        name = "top",
        description = {
            "Shows the pools of a running JVM, the largest first,",
            "and what they commit and give back, until Ctrl-C."
        })
public final class TopCommand extends LiveCommand {
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final double INTERVAL_MIN_SECONDS = 0.1;
    private static final double INTERVAL_MAX_SECONDS = 3600;

    @Option(
            names = "--interval",
            paramLabel = "SECONDS",
            defaultValue = "2",
            description = "Time between two looks, 0.1 to 3600 (default: ${DEFAULT-VALUE}).")
    private double intervalSeconds;

    @Option(names = "--once", description = "Look once, and end: for scripts. So does --json.")
    private boolean once;

    @Option(
            names = "--color",
            paramLabel = "WHEN",
            defaultValue = "auto",
            description = "auto, always or never (default: ${DEFAULT-VALUE}).")
    private Colours colours = Colours.AUTO;

    /** The command, without arguments yet. */
    public TopCommand() {}

    @Override
    void check() {
        if (!(intervalSeconds >= INTERVAL_MIN_SECONDS && intervalSeconds <= INTERVAL_MAX_SECONDS)) {
            throw usage("--interval must be from 0.1 to 3600 seconds: " + intervalSeconds);
        }
    }

    @Override
    void run(LiveJvm jvm) throws LiveException {
        List<LivePool> first = pools(jvm);
        if (json()) {
            printSamples(jvm, first);
        } else if (once) {
            out().print(table(jvm, List.of(), samples(first), Integer.MAX_VALUE));
            out().flush();
        } else if (Colours.terminalCan()) {
            try (Screen screen = Screen.open(out())) {
                watch(jvm, screen);
            }
        } else {
            watch(jvm, null);
        }
    }

    /** Looks until the JVM ends, which is the exception. */
    private void watch(LiveJvm jvm, @Nullable Screen screen) throws LiveException {
        List<Sample> before = List.of();
        while (true) {
            List<Sample> now = samples(find(jvm));
            int rows = screen == null ? Integer.MAX_VALUE : screen.rows();
            String table = table(jvm, before, now, rows);
            if (screen == null) {
                out().println(table);
                out().flush();
            } else {
                screen.draw(table);
            }
            before = now;
            pause();
        }
    }

    private List<LivePool> find(LiveJvm jvm) throws LiveException {
        try {
            return chosen(jvm.find());
        } catch (IOException ended) {
            throw LivePool.wentAway(jvm.pid(), ended);
        }
    }

    private void pause() throws LiveException {
        try {
            Thread.sleep((long) (intervalSeconds * 1000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LiveException(Reason.WENT_AWAY, "Interrupted.", e);
        }
    }

    private static List<Sample> samples(List<LivePool> pools) throws LiveException {
        List<Sample> samples = new ArrayList<>();
        for (LivePool pool : pools) {
            CompositeData statistics = pool.statistics();
            if (statistics != null) {
                samples.add(Sample.of(pool.label(), statistics, System.nanoTime()));
            }
        }
        return samples;
    }

    private String table(LiveJvm jvm, List<Sample> before, List<Sample> now, int rows) {
        String title =
                jvm.title()
                        + ", pools: "
                        + now.size()
                        + ", "
                        + LocalTime.now(ZoneId.systemDefault()).format(CLOCK);
        return TopTable.text(title, before, now, rows, colours.use());
    }

    private void printSamples(LiveJvm jvm, List<LivePool> pools) throws LiveException {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Sample sample : samples(pools)) {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("name", sample.label());
            map.put("usedBytes", sample.usedBytes());
            map.put("committedBytes", sample.committedBytes());
            map.put("reservedBytes", sample.reservedBytes());
            map.put("committedMaxBytes", sample.committedMaxBytes());
            map.put("committedTotalBytes", sample.committedTotalBytes());
            map.put("uncommittedTotalBytes", sample.uncommittedTotalBytes());
            map.put("heaps", sample.heaps());
            map.put("leaked", sample.leaked());
            all.add(map);
        }
        print(jvm, all);
    }
}
