package io.polder.lab.live;

import picocli.CommandLine.Command;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import javax.management.openmbean.CompositeData;

/** {@code polder report PID}: what pools of a running JVM hold, as {@code MemoryPool.report}. */
@Command(
        name = "report",
        description = {
            "Prints what the pools of a running JVM hold,",
            "in the layout of jcmd VM.metaspace."
        })
public final class ReportCommand extends LiveCommand {
    /** The command, without arguments yet. */
    public ReportCommand() {}

    @Override
    void run(LiveJvm jvm) throws LiveException {
        List<LivePool> pools = pools(jvm);
        if (json()) {
            printStatistics(jvm, pools);
            return;
        }
        out().println(jvm.title() + ", pools: " + pools.size());
        for (LivePool pool : pools) {
            String report = pool.report();
            out().println();
            out().print(
                            report == null
                                    ? "Pool " + pool.label() + " was closed meanwhile.\n"
                                    : Printable.text(report));
        }
        out().flush();
    }

    /** Prints all figures of pools as JSON. */
    private void printStatistics(LiveJvm jvm, List<LivePool> pools) throws LiveException {
        List<Map<String, Object>> all = new ArrayList<>();
        for (LivePool pool : pools) {
            CompositeData statistics = pool.statistics();
            if (statistics != null) {
                Map<String, Object> map = new LinkedHashMap<>();
                map.put("name", pool.name());
                map.put("statistics", OpenData.map(statistics));
                all.add(map);
            }
        }
        print(jvm, all);
    }
}
