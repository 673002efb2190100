package io.polder.lab.experiments.cache;

import io.polder.lab.report.Format;
import io.polder.tools.terminal.Columns;

import java.util.ArrayList;
import java.util.List;

/** What the cache experiment prints. */
final class CacheText {
    private static final double P99 = 99;
    private static final double P999 = 99.9;

    private CacheText() {}

    static String of(Results results, Downloads downloads) {
        Scale scale = results.scale();
        StringBuilder text = new StringBuilder(memory(results));
        text.append(
                Format.text(
                        """
                        RSS / live bytes of values, with a limit of %d MiB, and MiB of both. RSS \
                        is what grew over the
                        base. Values are put one after the other; entries are removed, and then %d \
                        s pass.

                        """,
                        scale.memory().limit() >> 20, scale.memory().rest().toSeconds()));
        for (int entries : scale.traffic().entries()) {
            text.append(speed(results, entries));
            text.append(
                    Format.text(
                            """
                            Two threads, Zipf %s, values of %d bytes. Thousands of operations a \
                            second; us of a get
                            and a put. The control does what waits for nobody. B/entry: RSS beyond \
                            key and value.
                            Resized: each put has a value of another size, by up to a quarter.

                            """,
                            Traffic.EXPONENT, TrafficJvm.VALUE_BYTES));
        }
        text.append(hits(results));
        text.append("Of all keys that are asked for, those found, where caches differ most.\n");
        text.append(flags(results));
        if (downloads.jars().isEmpty()) {
            text.append(
                    "\nOther caches were not downloaded: ./polder lab cache does that where there"
                            + " is a network.\n");
        }
        return text.toString();
    }

    private static String memory(Results results) {
        Columns<Contender> columns = new Columns<Contender>().words("RSS / live", Contender::id);
        for (Phase phase : Phase.WITH_ENTRIES) {
            columns.number(phase.id(), one -> Format.times2(results.rssOverLive(one, phase)));
        }
        return columns.number("MiB mixed", one -> both(results, one, Phase.MIXED))
                .number("deleted95", one -> both(results, one, Phase.DELETED95))
                .number("deleted", one -> Format.mebibytes(results.rss(one, Phase.DELETED)))
                .number(
                        "puts/s",
                        one ->
                                Format.thousands(results.found().median(one.id() + MemoryJvm.PUTS))
                                        + " k")
                .table(results.measured());
    }

    private static String both(Results results, Contender one, Phase phase) {
        return Format.mebibytes(results.rss(one, phase))
                + "/"
                + Format.mebibytes(results.live(one, phase));
    }

    private record Row(Contender contender, Mix mix) {}

    private static String speed(Results results, int entries) {
        List<Row> rows = new ArrayList<>();
        for (Mix mix : Mix.values()) {
            results.timed().forEach(contender -> rows.add(new Row(contender, mix)));
        }
        return new Columns<Row>()
                .words(Format.text("%,d entries", entries), row -> row.contender.id())
                .words("", row -> row.mix.id())
                .number(
                        "k ops/s",
                        row ->
                                Format.thousands(
                                        results.perSecond(row.contender, entries, row.mix)
                                                .median()))
                .number("get p99", row -> get(results, row, entries, P99))
                .number("p99.9", row -> get(results, row, entries, P999))
                .number("put p99", row -> put(results, row, entries, P99))
                .number("p99.9", row -> put(results, row, entries, P999))
                .number(
                        "control",
                        row ->
                                Format.fixed(
                                        1,
                                        results.controlMicros(
                                                row.contender, entries, row.mix, P999)))
                .number("hits", row -> Format.percent(results.hitShare(row.contender, entries)))
                .number(
                        "B/entry",
                        row -> Format.fixed(0, results.bytesPerEntry(row.contender, entries)))
                .table(rows);
    }

    private static String get(Results results, Row row, int entries, double percentile) {
        return Format.fixed(1, results.getMicros(row.contender, entries, row.mix, percentile));
    }

    private static String put(Results results, Row row, int entries, double percentile) {
        return Format.fixed(1, results.putMicros(row.contender, entries, row.mix, percentile));
    }

    private static String hits(Results results) {
        return new Columns<String>()
                .words("hits", trace -> trace)
                .number("polder", trace -> worst(results, trace, HitRatioJvm.POLDER))
                .number("caffeine", trace -> worst(results, trace, HitRatioJvm.CAFFEINE))
                .number("more", trace -> Format.fixed(2, results.gapPercent(trace)) + " %")
                .table(HitRatioJvm.traces());
    }

    private static String worst(Results results, String trace, String whose) {
        double[] gaps = results.found().samples(HitRatioJvm.GAP + trace);
        int worst = 0;
        for (int i = 1; i < gaps.length; i++) {
            worst = gaps[i] > gaps[worst] ? i : worst;
        }
        return Format.fixed(1, 100 * results.found().samples(whose + trace)[worst]) + " %";
    }

    private static String flags(Results results) {
        StringBuilder text = new StringBuilder("\nFlags that only its own JVMs have:\n");
        for (Contender contender : results.measured()) {
            String who = contender.id();
            for (String flag : contender.flags()) {
                text.append(Format.text("  %-11s %s\n", who, flag));
                who = "";
            }
        }
        return text.toString();
    }
}
