package io.polder.lab.harness;

import io.polder.lab.report.Report;
import io.polder.tools.terminal.UnwrittenException;

import java.util.List;

/**
 * One question about Polder, answered by measuring on this machine.
 *
 * <p>An experiment compares contenders within one run. It prints nothing itself: it reports
 * progress to its {@link Context} and returns a {@link Report}.
 */
public interface Experiment {
    /** What it is. */
    About about();

    /** Name on the command line. */
    default String name() {
        return about().name();
    }

    /**
     * Names of all metrics of its report, in the report's order. A contender that is not installed
     * has none, so they may differ from machine to machine, not from run to run. A report has none
     * of a contender that failed, and says so.
     */
    List<String> metricNames();

    /**
     * Measures.
     *
     * @throws InputException if a file that the command line names cannot be used
     * @throws ExperimentException if it could not be measured; the message is for the user
     * @throws UnwrittenException if its raw data could not be written
     * @throws InterruptedException if the thread was interrupted; nothing is left running
     */
    Report run(Context context)
            throws ExperimentException, UnwrittenException, InterruptedException;
}
