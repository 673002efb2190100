package io.polder.tools.terminal;

import java.io.PrintStream;

/** Progress where there is no terminal, as in a log: plain lines, one per step and quarter. */
public final class ProgressLines implements Progress {
    /** A step that takes long tells of each such share of it. */
    private static final double QUARTER = 0.25;

    private final PrintStream out;
    private String shown = "";
    private double shownDone;

    /** Creates progress that is written to a stream. */
    public ProgressLines(PrintStream out) {
        this.out = out;
    }

    @Override
    public void show(String step, double done) {
        boolean goesOn = done < 1 && done - shownDone >= QUARTER;
        if (!step.equals(shown) || goesOn) {
            out.printf("%3s %%  %s%n", Math.round(Math.clamp(done, 0, 1) * 100), step);
            shown = step;
            shownDone = done;
        }
    }

    @Override
    public void clear() {
        // Lines stay.
    }
}
