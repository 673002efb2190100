package io.polder.tools.html;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Style sheets, scripts and licences that are part of every page. */
final class Assets {
    /** The library that draws lines; its licence asks to be kept with it. */
    static final String PLOT_SCRIPT = "uPlot-1.6.32.iife.min.js";

    static final String PLOT_STYLE = "uPlot-1.6.32.min.css";
    static final String PLOT_LICENCE = "uPlot-LICENSE.txt";

    /** Our own, in the order in which they are run. */
    static final List<String> SCRIPTS = List.of("format.js", "lines.js", "map.js", "report.js");

    static final String STYLE = "report.css";

    private Assets() {}

    /** The text of one of them. */
    static String read(String name) {
        try (InputStream in = Assets.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new AssertionError("part of the jar: name=" + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
