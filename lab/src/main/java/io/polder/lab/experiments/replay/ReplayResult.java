package io.polder.lab.experiments.replay;

import io.polder.lab.experiments.replay.Sample.Mark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.DoubleConsumer;

/**
 * What the replaying JVM tells its parent, line by line.
 *
 * <pre>{@code
 *   progress 0.25             share that is done
 *   sample PEAK 9802000000 20100 135283408 137000000 150000000
 *   done 123456789            nanoseconds spent on events; the last line
 * }</pre>
 *
 * <p>Not thread-safe.
 */
final class ReplayResult {
    private static final String PROGRESS = "progress";
    private static final String SAMPLE = "sample";
    private static final String DONE = "done";

    private final DoubleConsumer progress;
    private final List<Sample> samples = new ArrayList<>();
    private OptionalLong eventNanos = OptionalLong.empty();

    /** Creates a result that has nothing yet; it passes on how far the replay is. */
    ReplayResult(DoubleConsumer progress) {
        this.progress = progress;
    }

    static String progressLine(double share) {
        return PROGRESS + " " + share;
    }

    static String sampleLine(Sample sample) {
        return SAMPLE + " " + String.join(" ", sample.toWords());
    }

    static String doneLine(long eventNanos) {
        return DONE + " " + eventNanos;
    }

    /**
     * Takes in a line.
     *
     * @throws IllegalArgumentException if it is none of those above
     */
    void accept(String line) {
        List<String> words = Arrays.asList(line.split(" ", -1));
        List<String> rest = words.subList(1, words.size());
        if (words.getFirst().equals(PROGRESS) && rest.size() == 1) {
            progress.accept(Double.parseDouble(rest.getFirst()));
        } else if (words.getFirst().equals(SAMPLE)) {
            samples.add(Sample.parse(rest));
        } else if (words.getFirst().equals(DONE) && rest.size() == 1) {
            eventNanos = OptionalLong.of(Long.parseLong(rest.getFirst()));
        } else {
            throw new IllegalArgumentException("unexpected line: line=" + line);
        }
    }

    /** Whether all is there: the end, and each of the moments that metrics are taken at. */
    boolean isComplete() {
        return eventNanos.isPresent()
                && count(Mark.PEAK) == 1
                && count(Mark.VALLEY) == 1
                && count(Mark.CLOSED) == 1;
    }

    private long count(Mark mark) {
        return samples.stream().filter(sample -> sample.mark() == mark).count();
    }

    /** All samples, in the order in which they were taken. */
    List<Sample> samples() {
        return List.copyOf(samples);
    }

    /** The sample at one of the moments that there is one of. */
    Sample at(Mark mark) {
        return samples.stream().filter(sample -> sample.mark() == mark).findFirst().orElseThrow();
    }

    /** How long it took to open, allocate and close. */
    long eventNanos() {
        return eventNanos.orElseThrow();
    }
}
