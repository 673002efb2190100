package io.polder.tools.terminal;

import java.io.PrintStream;

/** Progress where there is no terminal, as in a log: one plain line per step. */
public final class ProgressLines implements Progress {
    private final PrintStream out;
    private String shown = "";

    /** Creates progress that is written to a stream. */
    public ProgressLines(PrintStream out) {
        this.out = out;
    }

    @Override
    public void show(String step, double done) {
        if (!step.equals(shown)) {
            out.printf("%3s %%  %s%n", Math.round(Math.clamp(done, 0, 1) * 100), step);
            shown = step;
        }
    }

    @Override
    public void clear() {
        // Lines stay.
    }
}
