package io.polder.tools.live;

import io.polder.tools.attach.AttachException;
import io.polder.tools.attach.AttachException.Problem;
import io.polder.tools.attach.JvmProcess;
import io.polder.tools.result.Json;
import io.polder.tools.terminal.Terminal;
import io.polder.tools.terminal.UnwrittenException;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;

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

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "Look N times, and end.")
    private @Nullable Integer count;

    @Option(
            names = "--once",
            description =
                    "Look once, and end: for scripts. So does --json without -n; with it, each look"
                            + " is a line of JSON.")
    private boolean once;

    @Mixin private ColourOption colours = new ColourOption();

    /** The command, without arguments yet. */
    public TopCommand() {}

    @Override
    void check() {
        if (!(intervalSeconds >= INTERVAL_MIN_SECONDS && intervalSeconds <= INTERVAL_MAX_SECONDS)) {
            throw usage("--interval must be from 0.1 to 3600 seconds: " + intervalSeconds);
        }
        if (count != null && count < 1) {
            throw usage("-n must be 1 or more: " + count);
        }
        if (count != null && once) {
            throw usage("-n and --once cannot both be given: " + count);
        }
        if (count != null && json().isGiven() && !json().isPrinted()) {
            throw usage("-n prints its JSON: --json is without FILE then");
        }
    }

    @Override
    void show(LiveJvm jvm, List<LivePool> pools) throws AttachException {
        if (once || json().isGiven()) {
            out().print(table(jvm, List.of(), samples(pools), Integer.MAX_VALUE));
            out().flush();
        } else if (count == null && Terminal.OUTPUT.canMore()) {
            try (Screen screen = Screen.open(out())) {
                watch(jvm, screen);
            }
        } else {
            watch(jvm, null);
        }
    }

    /** Prints a line of JSON for each look, if looks are counted. */
    @Override
    void writeJson(LiveJvm jvm, List<LivePool> pools) throws AttachException, UnwrittenException {
        if (count == null) {
            super.writeJson(jvm, pools);
            return;
        }
        long looks = 0;
        do {
            jvm.patience().begin();
            out().print(Json.line(document(jvm, find(jvm))));
            looks++;
        } while (isRead() && isMore(looks) && pause());
    }

    /**
     * Looks until the JVM ends, which is the exception, nobody reads what is printed, or it was
     * done as often as is wanted.
     */
    private void watch(LiveJvm jvm, @Nullable Screen screen) throws AttachException {
        List<Sample> before = List.of();
        long looks = 0;
        do {
            jvm.patience().begin();
            List<Sample> now = samples(find(jvm));
            int rows = screen == null ? Integer.MAX_VALUE : Terminal.rows();
            String table = table(jvm, before, now, rows);
            if (screen == null) {
                out().println(table);
            } else {
                screen.draw(table);
            }
            before = now;
            looks++;
        } while (isRead() && isMore(looks) && pause());
    }

    private boolean isMore(long looks) {
        return count == null || looks < count;
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

    private String table(LiveJvm jvm, List<Sample> before, List<Sample> now, int rows) {
        String title =
                jvm.title()
                        + ", pools: "
                        + now.size()
                        + ", "
                        + LocalTime.now(ZoneId.systemDefault()).format(CLOCK);
        return TopTable.text(title, before, now, rows, colours.use());
    }
}
