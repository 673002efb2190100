package io.polder.lab.experiments.netty;

import static io.polder.lab.report.Format.fixed;

import io.polder.lab.harness.Findings;
import io.polder.lab.report.Format;
import io.polder.tools.terminal.Columns;

import java.util.ArrayList;
import java.util.List;

/** What the netty experiment prints. */
final class NettyText {
    private NettyText() {}

    static String of(Findings found, Scale scale) {
        return buffers(found)
                + """
                Allocating a direct buffer, a write, a read, and its release: ns of processor \
                time, and times
                Polder's. Each allocator in JVMs of its own; threads have the caches that event \
                loops have.

                """
                + server(found)
                + Format.text(
                        """
                        HTTP/1.1, %d connections on the loopback, bodies and answers of 1 KiB to \
                        1 MiB for %d s, then idle
                        for %d s. RSS: MiB grown over the base, at the peak and at the end.
                        """,
                        scale.server().connections(),
                        scale.server().load().toSeconds(),
                        scale.server().idle().toSeconds());
    }

    /** A pattern on so many threads. */
    private record Row(BufferPattern pattern, int threads) {
        String nanos(Findings found, Contender contender) {
            return Format.nanos(found.median(pattern.nanos(contender, threads)));
        }
    }

    private static String buffers(Findings found) {
        Columns<Row> columns =
                new Columns<Row>()
                        .words("bytes", row -> row.pattern.title())
                        .words("", row -> NettyGoals.threads(row.threads))
                        .number("polder", row -> row.nanos(found, Contender.POLDER));
        for (Contender other : Contender.OTHERS) {
            columns.number(other.id(), row -> row.nanos(found, other))
                    .number(
                            "",
                            row ->
                                    Format.times(
                                            NettyMetrics.timeRatio(
                                                            found, row.pattern, row.threads, other)
                                                    .median()));
        }
        List<Row> rows = new ArrayList<>();
        for (BufferPattern pattern : BufferPattern.values()) {
            Scale.Buffers.THREADS.forEach(threads -> rows.add(new Row(pattern, threads)));
        }
        return columns.table(rows);
    }

    private static String server(Findings found) {
        return new Columns<Contender>()
                .words("server", Contender::id)
                .number("requests/s", one -> fixed(0, found.median(one.id() + ServerJvm.REQUESTS)))
                .number("p50 ms", one -> millis(found.latencies(one.id()).getValueAtPercentile(50)))
                .number("p99 ms", one -> millis(found.latencies(one.id()).getValueAtPercentile(99)))
                .number("worst ms", one -> millis(found.latencies(one.id()).getMaxValue()))
                .number("RSS peak", one -> mebibytes(found, one, ServerJvm.PEAK))
                .number("RSS idle", one -> mebibytes(found, one, ServerJvm.IDLE))
                .table(Contender.OF_SERVERS);
    }

    private static String millis(long nanos) {
        return fixed(1, nanos / 1e6);
    }

    private static String mebibytes(Findings found, Contender contender, String figure) {
        return Format.mebibytes(1, found.median(contender.id() + figure));
    }
}
