package io.polder.arrow.pickup;

import io.polder.arrow.PolderAllocationManager;

import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;

/** Runs the tests in a jar of Arrow's, and prints how many there were and which failed. */
final class ArrowsTestsProgram {
    private ArrowsTestsProgram() {}

    /** The jar, and a pattern of the classes whose tests are run. */
    public static void main(String[] args) {
        try (BufferAllocator allocator = new RootAllocator();
                ArrowBuf buffer = allocator.buffer(1)) {
            if (PolderAllocationManager.pool().stats().blocks().usedCount() != 1) {
                throw new IllegalStateException("not in memory of Polder: " + buffer);
            }
        }
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(
                                DiscoverySelectors.selectClasspathRoots(Set.of(Path.of(args[0]))))
                        .filters(ClassNameFilter.includeClassNamePatterns(args[1]))
                        .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener);
        TestExecutionSummary summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
        System.out.printf(
                "%d passed, %d failed, %d skipped%n",
                summary.getTestsSucceededCount(),
                summary.getTotalFailureCount(),
                summary.getTestsSkippedCount() + summary.getContainersSkippedCount());
    }
}
