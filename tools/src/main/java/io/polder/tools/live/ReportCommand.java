package io.polder.tools.live;

import io.polder.tools.attach.AttachException;
import io.polder.tools.html.HtmlReport;
import io.polder.tools.terminal.OutputFile;
import io.polder.tools.terminal.Printable;
import io.polder.tools.terminal.UnwrittenException;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import javax.management.openmbean.CompositeData;

/** {@code polder report PID}: what pools of a running JVM hold, as {@code MemoryPool.report}. */
@Command(
        name = "report",
        description = "Prints what the pools of a running JVM hold, as jcmd VM.metaspace does.")
public final class ReportCommand extends LiveCommand {
    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write a page to FILE, for a browser; prints nothing then.")
    private @Nullable Path html;

    /** The command, without arguments yet. */
    public ReportCommand() {}

    @Override
    void check() {
        Path file = html;
        if (file == null) {
            return;
        }
        if (json().isGiven()) {
            throw usage("--html and --json exclude each other");
        }
        checkWritable("--html", file);
    }

    @Override
    void show(LiveJvm jvm, List<LivePool> pools) throws AttachException, UnwrittenException {
        if (html != null) {
            writePage(html, jvm, pools);
            return;
        }
        out().println(jvm.title() + ", pools: " + pools.size());
        out().println();
        out().print(TopTable.overview(samples(pools)));
        for (LivePool pool : pools) {
            String report = pool.report();
            out().println();
            out().print(
                            report == null
                                    ? "Pool " + pool.label() + " was closed meanwhile.\n"
                                    : titled(pool, Printable.lines(report)));
        }
        out().print(former(jvm));
        out().flush();
    }

    /**
     * A report under the name by which others ask for its pool. A pool of one library does not know
     * of those of another, as the agent brings one, and both have a common pool.
     */
    private static String titled(LivePool pool, String report) {
        int end = report.indexOf('\n');
        return end < 0 ? report : "Pool " + pool.label() + report.substring(end);
    }

    private void writePage(Path file, LiveJvm jvm, List<LivePool> pools)
            throws AttachException, UnwrittenException {
        PoolsPage page = new PoolsPage(jvm.title());
        page.addOverview(samples(pools));
        for (LivePool pool : pools) {
            page.add(pool);
        }
        page.add(former(jvm));
        OutputFile.write(file, HtmlReport.of(page.page()));
    }

    @Override
    boolean showsFormer() {
        return true;
    }

    @Override
    boolean describe(LivePool pool, Map<String, Object> map) throws AttachException {
        if (!super.describe(pool, map)) {
            return false;
        }
        map.put("shrinkers", pool.shrinkers());
        return true;
    }

    @Override
    void describe(LivePool pool, CompositeData statistics, Map<String, Object> map) {
        map.put("statistics", OpenData.map(statistics));
    }
}
