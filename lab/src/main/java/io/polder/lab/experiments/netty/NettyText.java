package io.polder.lab.experiments.netty;

import io.polder.lab.harness.Findings;
import io.polder.lab.harness.Quartiles;
import io.polder.tools.terminal.Table;
import io.polder.tools.terminal.Table.Align;

import org.HdrHistogram.Histogram;

import java.util.Locale;

/** What the netty experiment prints. */
final class NettyText {
    private NettyText() {}

    static String of(Findings found, Scale scale) {
        return buffers(found)
                + "Allocating a direct buffer, a write, a read, and its release: ns of processor"
                + " time, and times\nPolder's. Each allocator in JVMs of its own; threads have"
                + " the caches that event loops have.\n\n"
                + server(found)
                + String.format(
                        Locale.ROOT,
                        "HTTP/1.1, %d connections on the loopback, bodies and answers of 1 KiB to"
                                + " 1 MiB for %d s, then idle%nfor %d s. RSS: MiB grown over the"
                                + " base, at the peak and at the end.%n",
                        scale.server().connections(),
                        scale.server().load().toSeconds(),
                        scale.server().idle().toSeconds());
    }

    private static String buffers(Findings found) {
        Table table =
                new Table()
                        .column("bytes", Align.LEFT)
                        .column("", Align.LEFT)
                        .column("polder", Align.RIGHT);
        for (Contender other : Contender.OTHERS) {
            table.column(other.id(), Align.RIGHT).column("", Align.RIGHT);
        }
        for (BufferPattern pattern : BufferPattern.values()) {
            for (int threads : Scale.Buffers.THREADS) {
                String[] cells = new String[3 + 2 * Contender.OTHERS.size()];
                int at = 0;
                cells[at++] = pattern.title();
                cells[at++] = NettyGoals.threads(threads);
                cells[at++] = nanos(found.median(pattern.nanos(Contender.POLDER, threads)));
                for (Contender other : Contender.OTHERS) {
                    cells[at++] = nanos(found.median(pattern.nanos(other, threads)));
                    Quartiles ratio = NettyMetrics.timeRatio(found, pattern, threads, other);
                    cells[at++] = NettyGoals.times(ratio.median());
                }
                table.row(cells);
            }
        }
        return table.text();
    }

    private static String server(Findings found) {
        Table table =
                new Table()
                        .column("server", Align.LEFT)
                        .column("requests/s", Align.RIGHT)
                        .column("p50 ms", Align.RIGHT)
                        .column("p99 ms", Align.RIGHT)
                        .column("worst ms", Align.RIGHT)
                        .column("RSS peak", Align.RIGHT)
                        .column("RSS idle", Align.RIGHT);
        for (Contender contender : Contender.OF_SERVERS) {
            Histogram nanos = found.latencies(contender.id());
            table.row(
                    contender.id(),
                    fixed(0, found.median(contender.id() + ServerJvm.REQUESTS)),
                    millis((double) nanos.getValueAtPercentile(50)),
                    millis((double) nanos.getValueAtPercentile(99)),
                    millis((double) nanos.getMaxValue()),
                    mebibytes(found.median(contender.id() + ServerJvm.PEAK)),
                    mebibytes(found.median(contender.id() + ServerJvm.IDLE)));
        }
        return table.text();
    }

    private static String nanos(double nanos) {
        return fixed(nanos < 100 ? 1 : 0, nanos);
    }

    private static String millis(double nanos) {
        return fixed(1, nanos / 1e6);
    }

    private static String mebibytes(double bytes) {
        return fixed(1, bytes / (1 << 20));
    }

    private static String fixed(int digits, double value) {
        return String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
