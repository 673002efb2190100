package io.polder.tools.live;

import io.polder.tools.attach.AttachException;
import io.polder.tools.attach.AttachException.Problem;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Locale;
import java.util.Map;

import javax.management.openmbean.CompositeData;

/** {@code polder leaks PID}: what nobody closed in a running JVM, by who opened it. */
@Command(
        name = "leaks",
        description =
                "Prints what was never closed in a running JVM: how many, how much, and the stack"
                        + " that opened it; of pools that are gone, too. Leaks are found by the"
                        + " garbage collector, after the fact.")
public final class LeaksCommand extends LiveCommand {
    /** How closely a pool may look. */
    enum Watch {
        OFF,
        SAMPLED,
        ALL
    }

    @Option(
            names = "--watch",
            paramLabel = "HOW",
            description =
                    "Have pools look for leaks of what is opened from now on:"
                            + " ${COMPLETION-CANDIDATES}.")
    private @Nullable Watch watch;

    @Option(names = "--gc", description = "Have the JVM collect garbage before that.")
    private boolean collect;

    @Option(
            names = "--frames",
            paramLabel = "N",
            defaultValue = "12",
            description = "How many frames of each stack are shown (default: ${DEFAULT-VALUE}).")
    private int frames;

    /** The command, without arguments yet. */
    public LeaksCommand() {}

    @Override
    void check() {
        if (frames < 1) {
            throw usage("--frames must be 1 or more: " + frames);
        }
    }

    @Override
    void prepare(LiveJvm jvm, List<LivePool> pools) throws AttachException {
        Watch wanted = watch;
        if (wanted != null) {
            for (LivePool pool : pools) {
                if (!pool.watch(wanted.name())) {
                    throw new AttachException(
                            Problem.REFUSED,
                            "pool "
                                    + pool.label()
                                    + " cannot be told to look for leaks; start its JVM with"
                                    + " -Dpolder.leaks="
                                    + wanted.name().toLowerCase(Locale.ROOT));
                }
            }
        }
        if (collect && !jvm.collect()) {
            String refusal =
                    " collects no garbage when it is asked to, as it runs with"
                            + " -XX:+DisableExplicitGC; what it has not collected is not found";
            err().println("polder: process " + jvm.pid() + refusal);
            err().flush();
        }
    }

    @Override
    void show(LiveJvm jvm, List<LivePool> pools) throws AttachException {
        StringBuilder text = new StringBuilder(jvm.title() + ", pools: " + pools.size() + "\n");
        for (LivePool pool : pools) {
            CompositeData statistics = pool.statistics();
            if (statistics == null) {
                continue;
            }
            LeakSites leaks = LeakSites.of(statistics);
            text.append("\nPool ").append(pool.label()).append('\n');
            text.append(
                    leaks.isKnown()
                            ? leaks.text(frames)
                            : "  off: nothing is watched; --watch=sampled switches it on\n"
                                    + leaks.blocksText());
        }
        out().print(text.append(former(jvm)));
        out().flush();
    }

    @Override
    boolean showsFormer() {
        return true;
    }

    @Override
    void describe(LivePool pool, CompositeData statistics, Map<String, Object> map) {
        map.putAll(LeakSites.of(statistics).json());
    }
}
