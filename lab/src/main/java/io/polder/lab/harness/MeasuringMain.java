package io.polder.lab.harness;

import org.HdrHistogram.Histogram;

import java.io.PrintStream;

/** The main method of every measuring JVM. */
public final class MeasuringMain {
    private MeasuringMain() {}

    /**
     * What a measuring JVM does.
     *
     * @param <T> what it is told
     */
    @FunctionalInterface
    public interface Work<T extends Record> {
        /**
         * Does the task.
         *
         * @throws Exception if it failed, and with it the experiment
         */
        void run(T task, Sampler sampler) throws Exception;
    }

    /**
     * Does the task that the parent has given, and tells it what is found. From now on nobody else
     * writes to stdout: what is written there goes to stderr.
     *
     * @param args of the main method
     * @param type of the task
     */
    public static <T extends Record> void run(String[] args, Class<T> type, Work<T> work)
            throws Exception {
        Telling parent = new Telling(System.out);
        System.setOut(System.err);
        work.run(Wire.read(args[0], type), parent);
        parent.send(new Message.End());
    }

    /** Tells the parent, in {@link Message}s. Thread-safe. */
    record Telling(PrintStream parent) implements Sampler {
        @Override
        public void sample(String name, double value) {
            send(new Message.Sample(name, value));
        }

        @Override
        public void latencies(String name, Histogram nanos) {
            send(new Message.Latencies(name, Nanos.encode(nanos)));
        }

        @Override
        public void point(Record values) {
            send(new Message.Point(Wire.tree(values)));
        }

        @Override
        public void text(String name, String text) {
            send(new Message.Text(name, text));
        }

        @Override
        public void progress(double share) {
            send(new Message.Progress(share));
        }

        void send(Record message) {
            parent.println(Wire.line(message));
            parent.flush();
        }
    }
}
