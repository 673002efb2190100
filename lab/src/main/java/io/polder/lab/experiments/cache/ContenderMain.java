package io.polder.lab.experiments.cache;

import io.polder.lab.harness.MeasuringMain;

/** The main method of a JVM with a contender in it, whose threads may be no daemons. */
final class ContenderMain {
    private ContenderMain() {}

    /**
     * Does the task, and ends the JVM, whatever became of it and whichever threads still run in it.
     */
    @SuppressWarnings("CatchAndPrintStackTrace") // As programs that start a JVM expect of its main.
    static <T extends Record> void run(String[] args, Class<T> type, MeasuringMain.Work<T> work) {
        int code = 1;
        try {
            MeasuringMain.run(args, type, work);
            code = 0;
        } catch (Throwable thrown) {
            thrown.printStackTrace();
        } finally {
            System.exit(code);
        }
    }
}
