package io.polder.lab.harness;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A fresh JVM that measures one task and tells what it finds.
 *
 * @param main its main class, which calls {@link MeasuringMain#run}
 * @param jvmArgs arguments of the JVM
 * @param timeout after which it is killed: long enough for a machine that is busy
 * @param environment variables it has besides those of this JVM, or instead of them
 */
public record MeasuringJvm(
        Class<?> main, List<String> jvmArgs, Duration timeout, Map<String, String> environment) {
    /** Copies the list and the map. */
    public MeasuringJvm {
        jvmArgs = List.copyOf(jvmArgs);
        environment = Map.copyOf(environment);
    }

    /** A JVM in the environment of this one. */
    public MeasuringJvm(Class<?> main, List<String> jvmArgs, Duration timeout) {
        this(main, jvmArgs, timeout, Map.of());
    }

    /**
     * Measures.
     *
     * @param what is measured, for messages: the beginning of a sentence
     * @param task for the JVM
     * @param findings takes in what it tells
     * @throws ExperimentException if it failed, or did not tell all
     * @throws InterruptedException if this thread was interrupted; the JVM is killed
     */
    public void run(String what, Record task, Findings findings)
            throws ExperimentException, InterruptedException {
        int complete = findings.complete();
        try {
            new ChildJvm(main, jvmArgs, List.of(Wire.line(task)), timeout, environment)
                    .run(findings::accept);
        } catch (ChildJvmException e) {
            throw new ExperimentException(what + " failed. " + e.getMessage(), e);
        }
        if (findings.complete() == complete) {
            throw new ExperimentException(what + " ended before all was measured.", null);
        }
    }
}
