package io.polder.cache.jcache;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import org.jspecify.annotations.Nullable;
import org.jsr107.tck.CacheTest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * JCache's own tests, its TCK, as they are on Maven Central. What it does not run counts as passed
 * for JUnit, so this counts what the TCK logs of that.
 */
class TckTest {
    /** So many pass: neither fewer nor more, unnoticed. */
    private static final int PASSED = 468;

    /**
     * Tests of interceptors for annotations, which are the business of a container with dependency
     * injection: no provider has them.
     */
    private static final String ANNOTATIONS = "org[.]jsr107[.]tck[.]annotation[.].*";

    /** Tests of storing by reference, which is optional and not offered; and one more. */
    private static final Map<String, Integer> LEFT_OUT =
            Map.of(
                    "org.jsr107.tck.StoreByReferenceTest", 11,
                    "org.jsr107.tck.TypesTest", 1,
                    "org.jsr107.tck.CachingTest", 1); // see the file ExcludeList

    private final Logger logger = Logger.getLogger("org.jsr107.tck");
    private final List<String> leftOut = new CopyOnWriteArrayList<>();
    private final PrintStream out = System.out;

    private final Handler handler =
            new Handler() {
                @Override
                public void publish(@Nullable LogRecord logged) {
                    String message = logged == null ? "" : logged.getMessage();
                    if (message.contains("EXCLUDING TEST")) {
                        leftOut.add(message.split("'", 3)[1]);
                    }
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };

    @BeforeEach
    void silence() {
        logger.setLevel(Level.INFO);
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
    }

    @AfterEach
    void speak() {
        System.setOut(out);
        logger.removeHandler(handler);
        logger.setUseParentHandlers(true);
    }

    @Test
    void tck_passesWhole() throws URISyntaxException, IOException {
        Map<String, Class<?>> unwrapped =
                Map.of(
                        "javax.cache.CacheManager", PolderCacheManager.class,
                        "javax.cache.Cache", PolderCache.class,
                        "javax.cache.Cache.Entry", StoredEntry.class);
        unwrapped.forEach((name, type) -> System.setProperty(name, type.getName()));
        Path jar =
                Path.of(
                        CacheTest.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(DiscoverySelectors.selectClasspathRoots(Set.of(jar)))
                        .filters(ClassNameFilter.excludeClassNamePatterns(ANNOTATIONS))
                        .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        String name = "polder-tck-" + System.getProperty("user.name") + ".lock";
        Path lock = Path.of(System.getProperty("java.io.tmpdir"), name);
        try (FileChannel file = FileChannel.open(lock, CREATE, WRITE);
                FileLock _ = file.lock()) { // its ports are fixed
            LauncherFactory.create().execute(request, listener);
        }
        TestExecutionSummary summary = listener.getSummary();
        StringWriter failures = new StringWriter();
        summary.printFailuresTo(new PrintWriter(failures), 30);

        long passed = summary.getTestsSucceededCount() - leftOut.size();
        out.printf(
                "JCache TCK 1.1.1: %d passed, %d failed, %d left out%n",
                passed, summary.getTotalFailureCount(), leftOut.size());
        assertThat(summary.getTotalFailureCount()).describedAs(failures.toString()).isZero();
        assertThat(summary.getTestsSkippedCount() + summary.getContainersSkippedCount()).isZero();
        LEFT_OUT.forEach(
                (type, count) -> assertThat(leftOut).filteredOn(type::equals).hasSize(count));
        assertThat(LEFT_OUT.keySet()).containsAll(leftOut);
        assertThat(passed).isEqualTo(PASSED);
    }
}
