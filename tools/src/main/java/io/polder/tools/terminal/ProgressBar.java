package io.polder.tools.terminal;

import java.io.PrintStream;

/** Progress on a terminal: one line that overwrites itself. */
public final class ProgressBar implements Progress {
    /** Cells of the bar. */
    private static final int CELLS = 40;

    /** Room for the bar, the percentage and a step's name, on a terminal of 80 columns. */
    private static final int LINE = 79;

    private final PrintStream terminal;
    private String shown = "";

    /** Creates a bar on a terminal. */
    public ProgressBar(PrintStream terminal) {
        this.terminal = terminal;
    }

    @Override
    public void show(String step, double done) {
        int cells = (int) Math.round(Math.clamp(done, 0, 1) * CELLS);
        String line =
                "[%s%s] %3s %%  %s"
                        .formatted(
                                "#".repeat(cells),
                                "-".repeat(CELLS - cells),
                                Math.round(Math.clamp(done, 0, 1) * 100),
                                step);
        overwrite(line.length() > LINE ? line.substring(0, LINE) : line);
    }

    @Override
    public void clear() {
        if (!shown.isEmpty()) {
            overwrite("");
            terminal.print('\r');
            terminal.flush();
        }
    }

    private void overwrite(String line) {
        if (!line.equals(shown)) {
            terminal.print('\r' + line + " ".repeat(Math.max(0, shown.length() - line.length())));
            terminal.flush();
            shown = line;
        }
    }
}
