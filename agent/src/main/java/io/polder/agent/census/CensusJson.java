package io.polder.agent.census;

import io.polder.agent.rewrite.Outcomes;

import java.util.HexFormat;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * A census as JSON, for programs. Histograms are lists of buckets with their least value; buckets
 * without arenas are left out. Keys are stable.
 */
final class CensusJson {
    private static final HexFormat HEX = HexFormat.of();

    private final StringBuilder out = new StringBuilder();

    private CensusJson() {}

    static String of(CensusResult census, Outcomes.Summary classes, Pooled pooled) {
        return new CensusJson().write(census, classes, pooled);
    }

    private String write(CensusResult census, Outcomes.Summary classes, Pooled pooled) {
        out.append("{\"census\": {\"process\": ").append(ProcessHandle.current().pid());
        out.append(", \"java\": ").append(quoted(Runtime.version().toString()));
        out.append(", \"seconds\": ").append(census.millis() / 1000.0);
        out.append("},\n \"confined\": ");
        row(census.confined());
        out.append(",\n \"shared\": ");
        row(census.shared());
        served(census, pooled);
        out.append(",\n \"sites\": [");
        String separator = "\n  ";
        for (CensusResult.Site site : census.sites()) {
            out.append(separator);
            site(site);
            separator = ",\n  ";
        }
        out.append("],\n \"classes\": {\"rewritten\": ");
        strings(classes.rewritten());
        out.append(", \"rewritten_more\": ").append(classes.rewrittenMore());
        out.append(", \"left\": ");
        strings(classes.left());
        out.append(", \"left_more\": ").append(classes.leftMore()).append("}}\n");
        return out.toString();
    }

    private void served(CensusResult census, Pooled pooled) {
        CensusResult.Served all = census.served(Pooled.BOTH);
        out.append(",\n \"served\": {\"arenas\": ").append(all.all());
        out.append(", \"of\": ").append(census.used());
        out.append(", \"slabs\": ").append(all.slabs());
        out.append(", \"chunks\": ").append(all.chunks());
        out.append(", \"shared\": ").append(all.shared());
        out.append(", \"pool\": ").append(quoted(pooled.word()));
        out.append(", \"now\": ").append(census.served(pooled).all()).append('}');
    }

    private void site(CensusResult.Site site) {
        out.append("{\"class\": ").append(quoted(site.site().type()));
        out.append(", \"method\": ").append(quoted(site.site().method()));
        out.append(", \"line\": ").append(site.site().line());
        out.append(", \"kind\": \"").append(site.site().confined() ? "confined" : "shared");
        out.append("\", \"pooling\": \"").append(site.verdict().word()).append("\", \"counts\": ");
        row(site.counts());
        out.append('}');
    }

    private void row(Row row) {
        out.append("{\"opened\": ").append(row.openedCount());
        out.append(", \"closed\": ").append(row.closedCount());
        out.append(", \"bytes\": ").append(row.bytes());
        out.append(", \"allocations\": ").append(row.allocations());
        out.append(", \"by_bytes\": [");
        String separator = "";
        for (int bucket = 0; bucket < Buckets.SIZES; bucket++) {
            if (row.size(bucket) != 0) {
                out.append(separator).append("{\"min\": ").append(Buckets.sizeMin(bucket));
                out.append(", \"arenas\": ").append(row.size(bucket));
                out.append(", \"bytes\": ").append(row.bytes(bucket)).append('}');
                separator = ", ";
            }
        }
        out.append("], \"open_bytes\": ").append(row.openBytes());
        out.append(", \"open_by_bytes\": ");
        histogram(Buckets.SIZES, Buckets::sizeMin, row::openSize);
        out.append(", \"by_allocations\": ");
        histogram(Buckets.ALLOCATIONS, Buckets::allocationsMin, row::count);
        out.append(", \"by_lifetime_nanos\": ");
        histogram(Buckets.LIFETIMES, Buckets::lifetimeMin, row::lifetime);
        out.append('}');
    }

    private void histogram(int length, IntToLongFunction min, IntToLongFunction count) {
        out.append('[');
        String separator = "";
        for (int bucket = 0; bucket < length; bucket++) {
            if (count.applyAsLong(bucket) != 0) {
                out.append(separator).append("{\"min\": ");
                out.append(min.applyAsLong(bucket)).append(", \"arenas\": ");
                out.append(count.applyAsLong(bucket)).append('}');
                separator = ", ";
            }
        }
        out.append(']');
    }

    private void strings(List<String> strings) {
        out.append('[');
        String separator = "";
        for (String string : strings) {
            out.append(separator).append(quoted(string));
            separator = ", ";
        }
        out.append(']');
    }

    /** A JSON string in ASCII, whatever the encoding of who prints it. RFC 8259, section 7. */
    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                quoted.append("\\u").append(HEX.toHexDigits(c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
