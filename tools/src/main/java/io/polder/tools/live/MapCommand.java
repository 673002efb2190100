package io.polder.tools.live;

import io.polder.tools.attach.AttachException;
import io.polder.tools.terminal.Printable;
import io.polder.tools.terminal.UnwrittenException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code polder map PID}: the chunks and pages of a running JVM's pools, one letter each. */
@Command(
        name = "map",
        description =
                "Prints the memory of a running JVM's pools, one letter for each chunk, then one"
                        + " for each 2 MiB of pages.")
public final class MapCommand extends LiveCommand {
    @Option(
            names = "--color",
            paramLabel = "WHEN",
            defaultValue = "auto",
            description = "auto, always or never (default: ${DEFAULT-VALUE}).")
    private Colours colours = Colours.AUTO;

    /** The command, without arguments yet. */
    public MapCommand() {}

    @Override
    void run(LiveJvm jvm) throws AttachException, UnwrittenException {
        List<LivePool> pools = pools(jvm);
        if (json().isGiven()) {
            printLines(jvm, pools);
        }
        if (json().isPrinted()) {
            return;
        }
        boolean coloured = colours.use();
        out().println(jvm.title() + ", pools: " + pools.size());
        for (LivePool pool : pools) {
            String title = "Pool " + pool.label();
            String map = pool.map();
            out().println();
            out().println(coloured ? Colours.BOLD + title + Colours.END : title);
            if (map == null) {
                out().println("was closed meanwhile.");
            } else {
                String text = Printable.lines(map);
                out().print(coloured ? ColouredMap.of(text) : text);
            }
        }
        out().flush();
    }

    private void printLines(LiveJvm jvm, List<LivePool> pools)
            throws AttachException, UnwrittenException {
        List<Map<String, Object>> all = new ArrayList<>();
        for (LivePool pool : pools) {
            String text = pool.map();
            if (text != null) {
                Map<String, Object> map = pool.json();
                map.put("map", text.lines().toList());
                all.add(map);
            }
        }
        print(jvm, all);
    }
}
