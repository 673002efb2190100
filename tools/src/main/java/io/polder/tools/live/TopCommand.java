package io.polder.tools.live;

import io.polder.tools.attach.AttachException;
import io.polder.tools.attach.AttachException.Problem;
import io.polder.tools.attach.JvmProcess;
import io.polder.tools.terminal.Terminal;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import javax.management.openmbean.CompositeData;

/**
 * {@code polder top PID}: the pools of a running JVM, again and again, the largest first.
 *
 * <p>On a terminal the view fills the {@link Screen} and is drawn anew; elsewhere one table follows
 * the other. It ends when the JVM does, by Ctrl-C, or when nobody reads what it prints.
 */
@Command(
        name = "top",
        description =
                "Shows the pools of a running JVM, the largest first, and what they commit and give"
                        + " back, until Ctrl-C.")
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
    void show(LiveJvm jvm, List<LivePool> pools) throws AttachException {
        if (once || json().isGiven()) {
            out().print(table(jvm, List.of(), samples(pools), Integer.MAX_VALUE));
            out().flush();
        } else if (Terminal.OUTPUT.canMore()) {
            try (Screen screen = Screen.open(out())) {
                watch(jvm, screen);
            }
        } else {
            watch(jvm, null);
        }
    }

    /** Looks until the JVM ends, which is the exception, or nobody reads what is printed. */
    private void watch(LiveJvm jvm, @Nullable Screen screen) throws AttachException {
        List<Sample> before = List.of();
        do {
            List<Sample> now = samples(find(jvm));
            int rows = screen == null ? Integer.MAX_VALUE : screen.rows();
            String table = table(jvm, before, now, rows);
            if (screen == null) {
                out().println(table);
            } else {
                screen.draw(table);
            }
            before = now;
        } while (isRead() && pause());
    }

    /** Flushes; false if nobody reads any more, as behind {@code | head}. */
    private boolean isRead() {
        // The writer may stand before the stream, which keeps its errors to itself.
        return !out().checkError() && !System.out.checkError();
    }

    private List<LivePool> find(LiveJvm jvm) throws AttachException {
        try {
            return chosen(jvm.find());
        } catch (IOException ended) {
            throw JvmProcess.ended(jvm.pid(), ended);
        }
    }

    private boolean pause() throws AttachException {
        try {
            Thread.sleep((long) (intervalSeconds * 1000));
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AttachException(Problem.GONE, "interrupted", e);
        }
    }

    private static List<Sample> samples(List<LivePool> pools) throws AttachException {
        List<Sample> samples = new ArrayList<>();
        for (LivePool pool : pools) {
            Sample sample = sample(pool);
            if (sample != null) {
                samples.add(sample);
            }
        }
        return samples;
    }

    private static @Nullable Sample sample(LivePool pool) throws AttachException {
        CompositeData statistics = pool.statistics();
        return statistics == null ? null : Sample.of(pool.label(), statistics, System.nanoTime());
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

    @Override
    boolean describe(LivePool pool, Map<String, Object> map) throws AttachException {
        Sample sample = sample(pool);
        if (sample == null) {
            return false;
        }
        map.put("usedBytes", sample.usedBytes());
        map.put("committedBytes", sample.committedBytes());
        map.put("reservedBytes", sample.reservedBytes());
        map.put("committedMaxBytes", sample.committedMaxBytes());
        map.put("committedTotalBytes", sample.committedTotalBytes());
        map.put("uncommittedTotalBytes", sample.uncommittedTotalBytes());
        map.put("heaps", sample.heaps());
        map.put("leaked", sample.leaked());
        return true;
    }
}
