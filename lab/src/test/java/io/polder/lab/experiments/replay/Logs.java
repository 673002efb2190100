package io.polder.lab.experiments.replay;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.zip.GZIPOutputStream;

/** Makes logs for tests. */
final class Logs {
    private final StringBuilder text = new StringBuilder();
    private double seconds;

    /** Lets time pass. */
    Logs after(double more) {
        seconds += more;
        return this;
    }

    Logs born(long arena) {
        return line(arena, "born.");
    }

    Logs requested(long arena, long words) {
        return line(arena, "requested " + words + " words.");
    }

    Logs dies(long arena) {
        return line(arena, ": dies.");
    }

    private Logs line(long arena, String event) {
        text.append(
                String.format(
                        Locale.ROOT,
                        "[%.3fs][trace][metaspace    ] Arena @0x%016x (class arena): %s\n",
                        seconds,
                        arena,
                        event));
        return this;
    }

    String text() {
        return text.toString();
    }

    static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.ISO_8859_1));
        }
        return bytes.toByteArray();
    }
}
