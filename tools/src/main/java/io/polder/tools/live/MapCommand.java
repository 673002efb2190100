package io.polder.tools.live;

import io.polder.tools.attach.AttachException;
import io.polder.tools.terminal.Terminal;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.util.List;
import java.util.Map;

import javax.management.openmbean.CompositeData;

/** {@code polder map PID}: the chunks and pages of a running JVM's pools, one letter each. */
@Command(
        name = "map",
        description =
                "Prints the memory of a running JVM's pools, one letter for each chunk, then one"
                        + " for each 2 MiB of pages.")
public final class MapCommand extends LiveCommand {
    @Mixin private ColourOption colours = new ColourOption();

    /** The command, without arguments yet. */
    public MapCommand() {}

    @Override
    void show(LiveJvm jvm, List<LivePool> pools) throws AttachException {
        boolean coloured = colours.use();
        int columns = Terminal.OUTPUT.canMore() ? Terminal.columns() : Integer.MAX_VALUE;
        out().println(jvm.title() + ", pools: " + pools.size());
        for (LivePool pool : pools) {
            String title = "Pool " + pool.label();
            CompositeData map = pool.map();
            out().println();
            out().println(coloured ? Colours.BOLD + title + Colours.END : title);
            if (map == null) {
                out().println("was closed meanwhile.");
            } else {
                out().print(MapText.of(OpenData.areas(map), columns, coloured));
            }
        }
        out().flush();
    }

    @Override
    boolean describe(LivePool pool, Map<String, Object> map) throws AttachException {
        CompositeData data = pool.map();
        if (data == null) {
            return false;
        }
        map.put("map", OpenData.map(data));
        return true;
    }
}
