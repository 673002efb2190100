package io.polder.stress.soak;

import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import java.io.IOException;
import java.nio.file.Path;
import java.text.ParseException;
import java.util.Map;
import java.util.TreeMap;

/** Flight Recorder, with the settings that it has in production and Polder's events besides. */
final class Recorder implements AutoCloseable {
    private static final long MOST_BYTES = 32L << 20;
    private static final String OURS = "io.polder.";

    private final Recording recording;
    private final Path file;

    /**
     * Starts it.
     *
     * @param file for the latest events, written at the end
     */
    Recorder(Path file) throws IOException {
        this.file = file;
        try {
            recording = new Recording(Configuration.getConfiguration("default"));
        } catch (ParseException broken) {
            throw new IOException("the JDK has a default configuration", broken);
        }
        recording.setToDisk(true);
        recording.setMaxSize(MOST_BYTES);
        recording.start();
    }

    /** Stops it, and counts the latest events of Polder by name. */
    Map<String, Long> events() throws IOException {
        recording.stop();
        recording.dump(file);
        Map<String, Long> counts = new TreeMap<>();
        try (RecordingFile events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                RecordedEvent event = events.readEvent();
                if (event.getEventType().getName().startsWith(OURS)) {
                    counts.merge(event.getEventType().getName(), 1L, Long::sum);
                }
            }
        }
        return counts;
    }

    @Override
    public void close() {
        recording.close();
    }
}
